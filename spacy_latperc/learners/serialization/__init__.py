"""The model files of chains, with checks on reading.

The container (header, arrays, checksum) is io/model_file.py.
"""
