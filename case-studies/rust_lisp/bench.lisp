(begin
  ;; Sorts lists and goes over what comes out: what scripts of any Lisp do.
  (defun less (limit items)
    (filter (lambda (item) (< item limit)) items))
  (defun more (limit items)
    (filter (lambda (item) (> item limit)) items))
  (defun join (front back)
    (if (== (length front) 0) back (cons (car front) (join (cdr front) back))))
  (defun sorted (items)
    (if (== (length items) 0)
      items
      (let ((pivot (car items)))
        (join (sorted (less pivot (cdr items))) (cons pivot (sorted (more pivot (cdr items))))))))
  (defun scattered (count)
    (map (lambda (n) (- (* n 7919) (* 1009 (/ (* n 7919) 1009)))) (range 1 count)))
  (defun sum (items)
    (if (== (length items) 0) 0 (+ (car items) (sum (cdr items)))))
  (defun rounds (left)
    (if (== left 0)
      0
      (+ (sum (sorted (scattered 60))) (rounds (- left 1)))))
  (rounds 20))
