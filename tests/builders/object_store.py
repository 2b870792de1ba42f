"""An object store on this machine, as far as reading asks for one: buckets of S3."""

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


@contextmanager
def object_store(objects: Mapping[str, bytes]) -> Iterator[str]:
    """Serve objects by "bucket/key".

    RETURNS: what follows the path in their URLs.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            content = objects.get(self._name)
            self._answer(404 if content is None else 200, content or b"", body=False)

        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            if "list-type" in query:
                self._answer(200, self._listed(query.get("prefix", [""])[0]))
                return
            content = objects.get(self._name)
            if content is None:
                self._answer(404, b"")
            elif (wanted := self.headers.get("Range")) is None:
                self._answer(200, content)
            else:
                first, last = map(int, wanted.removeprefix("bytes=").split("-"))
                last = min(last, len(content) - 1)
                range_ = f"bytes {first}-{last}/{len(content)}"
                self._answer(206, content[first : last + 1], range_)

        @property
        def _name(self) -> str:
            return unquote(urlsplit(self.path).path).strip("/")

        def _listed(self, prefix: str) -> bytes:
            bucket = self._name
            names = sorted(x for x in objects if x.startswith(f"{bucket}/{prefix}"))
            found = "".join(
                f"<Contents><Key>{escape(name.removeprefix(f'{bucket}/'))}</Key>"
                f"<Size>{len(objects[name])}</Size></Contents>"
                for name in names
            )
            said = f"<KeyCount>{len(names)}</KeyCount><IsTruncated>false</IsTruncated>"
            return f"<ListBucketResult>{said}{found}</ListBucketResult>".encode()

        def _answer(self, status, content, range_="", *, body=True):
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
            if held := objects.get(self._name):
                self.send_header("ETag", f'"{hashlib.md5(held).hexdigest()}"')
            if range_:
                self.send_header("Content-Range", range_)
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        host = f"127.0.0.1%3A{server.server_port}"
        yield f"?scheme=http&region=here&endpoint_override={host}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
