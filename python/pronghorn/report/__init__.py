"""What a person sees of a run: tables on the terminal and one self-contained HTML file."""
