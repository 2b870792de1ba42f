"""A local server in place of the net, with copies of what is public."""

import gzip
import io
import threading
import zipfile
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from tools.corpora import build
from tools.corpora.datasets import DATASETS


@contextmanager
def local_server(root):
    """Serve a folder: the address, the folder, and a list of what is asked for."""
    root.mkdir()
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(root))

        def log_message(self, *args):
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", root, asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def publish(root, url, content):
    """Put a file where the server finds it when it is asked for the address."""
    path = root / url.removeprefix("https://")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def originals(name, data):
    """The public files of a data set by address, taken from the data folder."""
    if name in ("conll2000", "conll2002"):
        return _zipped(name, data)
    parts = ("train", "dev", "test")
    banks = {"en_ewt": build.EWT, "af_afribooms": build.AFRIBOOMS}
    trees = {
        f"{address}/{bank}-ud-{x}.conllu": f"ud_trees/{bank}-{x}.conllu.gz"
        for bank, address in banks.items()
        for x in parts
    }
    renamed = {
        "wnut17": {
            f"{build.WNUT17}/wnut17train.conll": "wnut17/train.conll",
            f"{build.WNUT17}/emerging.dev.conll": "wnut17/dev.conll",
            f"{build.WNUT17}/emerging.test.annotated": "wnut17/test.conll",
        },
        "ud_ewt": {x: path for x, path in trees.items() if "en_ewt" in path},
        "ud_trees": trees,
        "jnlpba": {
            f"{build.JNLPBA}/train/Genia4ERtask2.iob2": "jnlpba/train.iob2.gz",
            f"{build.JNLPBA}/test/Genia4EReval2.iob2": "jnlpba/test.iob2",
        },
    }
    return {url: _unpacked(data / path) for url, path in renamed[name].items()}


def _zipped(name, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in DATASETS[name].files:
            content = _unpacked(data / name / file)
            archive.writestr(f"{name}/{file.removesuffix('.gz')}", content)
    return {f"{build.NLTK}/{name}.zip": buffer.getvalue()}


def _unpacked(path):
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content
