#!/usr/bin/env perl
# Plays a random legal action. parlor play gap --with exec:./bot.pl
use strict;
use warnings;
use JSON::PP;

$| = 1;
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    next if $message->{type} ne 'decision';
    my $index = int rand @{ $message->{actions} };
    print encode_json({ table => $message->{table}, decision => $message->{decision}, index => $index }), "\n";
}
