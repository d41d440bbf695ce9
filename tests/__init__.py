"""Live tests and what they share: python3 -m unittest tests.PRODUCT.live.FILE.CLASS, from the project's folder."""
import sys

