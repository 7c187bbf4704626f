// Reads the documents of a file with libyaml, and writes them again.
#include <stdio.h>
#include <yaml.h>

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "r") : NULL;
    if (!file) return 2;
    yaml_parser_t parser;
    yaml_emitter_t emitter;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_file(&parser, file);
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_file(&emitter, stdout);
    yaml_emitter_open(&emitter);
    for (;;) {
        yaml_document_t document;
        if (!yaml_parser_load(&parser, &document)) return 1;
        if (!yaml_document_get_root_node(&document)) {
            yaml_document_delete(&document);
            break;
        }
        if (!yaml_emitter_dump(&emitter, &document)) return 1;
    }
    yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    yaml_parser_delete(&parser);
    fclose(file);
    return 0;
}
