/* Reads a document of JSON, sorts the members of its objects, and writes it again, as jq does with `-S .`. */
#include <stdio.h>

#include "jansson.h"

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *document = json_load_file(argv[argc - 1], 0, &error);

	if (!document) {
		fprintf(stderr, "line %d: %s\n", error.line, error.text);
		return 1;
	}
	json_dumpf(document, stdout, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(document);
	return 0;
}
