/* Lays out boards of Mines that can be solved without a guess, as the game does before each round. */
#include <stdio.h>

#include "puzzles.h"

extern const struct game thegame;

/* A board is only laid out here, and nobody plays it. */
void midend_supersede_game_desc(midend *me, const char *desc, const char *privdesc)
{
	(void)me, (void)desc, (void)privdesc;
}

int main(void)
{
	game_params *params = thegame.default_params();
	random_state *random = random_new("a seed", 6);
	int board;

	thegame.decode_params(params, "30x16n99");
	for (board = 0; board < 48; board++) {
		char *aux = NULL;
		char *layout = thegame.new_desc(params, random, &aux, false);

		puts(layout);
		sfree(layout);
		sfree(aux);
	}
	random_free(random);
	thegame.free_params(params);
	return 0;
}
