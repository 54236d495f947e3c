"""A server that no profile knows: OpenAI completions, one word a token, `--pace` seconds each.

    python3 tinyserve.py --listen 9000 --pace 0.005 --room 64
"""
import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

flags = argparse.ArgumentParser()
flags.add_argument("--listen", type=int, default=9000)
flags.add_argument("--pace", type=float, default=0.005)
flags.add_argument("--room", type=int, default=64, help="how many answers at a time")
flags = flags.parse_args()
slots = threading.Semaphore(flags.room)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a stream ends with its connection

    def log_message(self, *_):
        pass

    def answer(self, body):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def do_GET(self):
        self.answer({"data": [{"id": "tiny"}], "status": "alive"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tokens = asked.get("max_tokens", 16)
        self.send_response(200)
        self.end_headers()
        with slots:
            for _ in range(tokens):
                time.sleep(flags.pace)
                self.event({"choices": [{"text": "word "}]})
        used = {"prompt_tokens": len(asked["prompt"]), "completion_tokens": tokens}
        self.event({"choices": [{"text": "", "finish_reason": "length"}], "usage": used})
        self.wfile.write(b"data: [DONE]\n\n")
        print("answered a request", flush=True)

    def event(self, chunk):
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


if flags.room < 1:
    sys.exit("tinyserve: no room for a single answer")
server = Server(("127.0.0.1", flags.listen), Handler)
print(f"tinyserve takes requests on port {flags.listen}", flush=True)
server.serve_forever()
