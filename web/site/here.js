// The book looks for this file: the site is beside it.
