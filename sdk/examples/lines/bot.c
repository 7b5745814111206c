/* Plays a random legal action. cc -o bot bot.c && parlor play gap --with exec:./bot */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static char line[1 << 22], table[65];
    for (int decision, actions; fgets(line, sizeof line, stdin);) {
        const char *asked = "{\"type\":\"decision\",\"table\":\"%64[^\"]\",\"seat\":%*d,\"decision\":%d";
        if (sscanf(line, asked, table, &decision) != 2) continue;
        actions = 0;
        for (char *at = line; (at = strstr(at, "{\"index\":")); at++) actions++;
        printf("{\"table\":\"%s\",\"decision\":%d,\"index\":%d}\n", table, decision, rand() % actions);
        fflush(stdout);
    }
}
