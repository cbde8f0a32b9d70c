"""``python -m whatworked``."""

from whatworked.cli import main

if __name__ == "__main__":
    main()
