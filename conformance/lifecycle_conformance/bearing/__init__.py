"""What a contract's rows and program steps carry: each is taken away in turn, and something must change."""
