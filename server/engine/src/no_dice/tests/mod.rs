//! The rules of No Dice, sentence by sentence.
