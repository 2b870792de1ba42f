"""The judge: finds wrong words and scores sentences, a wing that can be left out."""
