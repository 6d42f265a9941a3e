"""An API made from its OpenAPI document: it checks each request against the document, and answers from it.

    mock_api.py DOCUMENT LOG

DOCUMENT is JSON, of OpenAPI 3 or Swagger 2.0. The port is printed. LOG gets a line of JSON for each request, with what the document
does not allow under `wrong`. An operation with `x-mock` answers as that says: `status`, `headers`, `body`, `base64`,
`bytes` (so many), `gzipped` (so many zeros, compressed), `hang_up` (the connection ends, the first time or `always`),
`echo` (the request itself), `endless` (pieces of so many bytes without an end, a `pause` in seconds after each). In headers, `HOST` is that of the request, and
`TARGET` its path with the query. LOG also gets the pieces of an endless answer when the client has ended it.
"""

import base64
import gzip
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse

DOCUMENT = json.load(open(sys.argv[1]))
LOG = open(sys.argv[2], "a", buffering=1)
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
hung_up = set()
lock = threading.Lock()


def resolved(value):
    while isinstance(value, dict) and "$ref" in value:
        target = DOCUMENT
        for part in value["$ref"].removeprefix("#/").split("/"):
            target = target[urllib.parse.unquote(part).replace("~1", "/").replace("~0", "~")]
        value = target
    return value


def from_swagger(own, operation):
    """The parameters of Swagger 2.0 in the form of OpenAPI 3."""
    media = (operation.get("consumes") or DOCUMENT.get("consumes") or ["application/json"])[0]
    for one in own:
        if one["in"] == "body":
            operation["requestBody"] = {"required": one.get("required"), "content": {media: {"schema": one["schema"]}}}
    return [{**one, "schema": one} for one in own if one["in"] not in ("body", "formData")]


def base_path():
    if "swagger" in DOCUMENT:
        return DOCUMENT.get("basePath", "/").rstrip("/")
    url = (DOCUMENT.get("servers") or [{"url": "/"}])[0]["url"]
    return urllib.parse.urlsplit(url).path.rstrip("/")


def operations():
    for path, item in DOCUMENT["paths"].items():
        item = resolved(item)
        # Documents tell operations with one path apart by fragments.
        path = path.split("#")[0]
        names = re.findall(r"{([^}]*)}", path)
        pattern = re.compile("".join(re.escape(part) if at % 2 == 0 else "([^/]*)" for at, part in enumerate(re.split(r"{([^}]*)}", path))))
        for method in METHODS:
            if method in item:
                operation = item[method]
                own = [resolved(one) for one in operation.get("parameters", [])]
                known = {(one["in"], one["name"]) for one in own}
                shared = [resolved(one) for one in item.get("parameters", [])]
                own += [one for one in shared if (one["in"], one["name"]) not in known]
                if "swagger" in DOCUMENT:
                    own = from_swagger(own, operation)
                yield method.upper(), pattern, names, own, operation


# Paths without parameters come first, as servers have it.
OPERATIONS = sorted(operations(), key=lambda one: len(one[2]))


def merged(schema):
    schema = resolved(schema)
    parts = [merged(part) for part in schema.get("allOf", [])]
    if not parts:
        return schema
    whole = {"properties": {}, "required": []}
    for part in [*parts, {key: value for key, value in schema.items() if key != "allOf"}]:
        whole["properties"].update(part.get("properties", {}))
        whole["required"] += part.get("required", [])
        whole.update({key: value for key, value in part.items() if key not in ("properties", "required")})
    return whole


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}


def faults(value, schema, place, depth=0):
    """What is wrong with a value of a request."""
    schema = merged(schema)
    branches = schema.get("oneOf") or schema.get("anyOf")
    if branches and depth < 6:
        every = [faults(value, branch, place, depth + 1) for branch in branches]
        if all(every):
            return every[0]
    if value is None:
        return [] if schema.get("nullable") or "null" in str(schema.get("type")) or None in schema.get("enum", []) else [f"{place} is null"]
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    fits = [isinstance(value, TYPES[kind]) and not (isinstance(value, bool) and kind in ("integer", "number")) for kind in kinds if kind in TYPES]
    if fits and not any(fits):
        return [f"{place} is {type(value).__name__}, not {kinds}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is not one of the values"]
    wrong = []
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value and not resolved(properties.get(name, {})).get("readOnly"):
                wrong.append(f"{place}.{name} is missing")
        for name, member in value.items():
            if name in properties:
                if resolved(properties[name]).get("readOnly"):
                    wrong.append(f"{place}.{name} is read only")
                wrong += faults(member, properties[name], f"{place}.{name}", depth + 1)
            elif properties and schema.get("additionalProperties") is False:
                wrong.append(f"{place}.{name} is unknown")
    if isinstance(value, list):
        for element in value:
            wrong += faults(element, schema.get("items", {}), f"{place}[]", depth + 1)
    return wrong


def text_faults(text, schema, place):
    """What is wrong with a parameter, which is a text."""
    schema = merged(schema)
    kind = schema.get("type")
    if kind in ("integer", "number", "boolean"):
        try:
            value = json.loads(text)
        except ValueError:
            return [f"{place} is {text!r}, not {kind}"]
        return faults(value, schema, place)
    if kind == "string" and "enum" in schema and text not in schema["enum"]:
        return [f"{place} is not one of the values"]
    return []


def made(schema, depth=0):
    """A value of a schema."""
    schema = merged(schema)
    if "example" in schema:
        return schema["example"]
    if "enum" in schema:
        return schema["enum"][0]
    branches = schema.get("oneOf") or schema.get("anyOf")
    if branches:
        return made(branches[0], depth + 1)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        members = schema.get("properties", {}) if depth < 4 else {}
        return {name: made(member, depth + 1) for name, member in members.items() if not resolved(member).get("writeOnly")}
    if kind == "array":
        return [made(schema["items"], depth + 1)] if depth < 4 and "items" in schema else []
    return {"string": "text", "integer": 1, "number": 1.5, "boolean": True}.get(kind)


def answer(operation):
    """The status, the headers and the body of a success."""
    if "x-mock" in operation:
        mock = operation["x-mock"]
        body = base64.b64decode(mock["base64"]) if "base64" in mock else mock.get("body", "").encode()
        if "gzipped" in mock:
            body = gzip.compress(b"0" * mock["gzipped"])
        return mock.get("status", 200), dict(mock.get("headers", {})), body or b"x" * mock.get("bytes", 0)
    for status, response in sorted(operation["responses"].items()):
        if status.startswith("2"):
            content = resolved(response).get("content", {})
            for media, described in content.items():
                if "json" in media:
                    examples = described.get("examples", {})
                    example = described.get("example")
                    if example is None and examples:
                        example = resolved(next(iter(examples.values()))).get("value")
                    value = example if example is not None else made(described.get("schema", {}))
                    return int(status), {"Content-Type": media}, json.dumps(value).encode()
            return int(status), {}, b""
    return 204, {}, b""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet: a second one would wait for the first to be acknowledged.
    wbufsize = 65536

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        target = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qsl(target.query, keep_blank_values=True)
        wrong = []
        found = None
        path = target.path.removeprefix(base_path())
        for method, pattern, names, parameters, operation in OPERATIONS:
            matched = pattern.fullmatch(path)
            if method == self.command and matched:
                found = operation
                values = dict(zip(names, map(urllib.parse.unquote, matched.groups())))
                wrong = self.check(parameters, values, query) + self.check_body(operation, body)
                # Another operation may have the same path.
                if not wrong:
                    break
        if found is None or not target.path.startswith(base_path()):
            wrong.append("no such operation")
        record = {
            "method": self.command, "target": self.path, "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": body.decode("latin-1"), "wrong": wrong,
        }
        LOG.write(json.dumps(record) + "\n")
        if wrong:
            return self.send(400, {"Content-Type": "application/json"}, json.dumps({"wrong": wrong}).encode())
        hang_up = found.get("x-mock", {}).get("hang_up")
        with lock:
            is_first = path not in hung_up
            hung_up.add(path)
        if hang_up == "always" or (hang_up and is_first):
            self.close_connection = True
            return self.connection.close()
        mock = found.get("x-mock", {})
        if "endless" in mock:
            return self.send_endless(mock)
        if mock.get("echo"):
            echo = json.dumps({"target": self.path, "headers": record["headers"]})
            return self.send(mock.get("status", 200), {"Content-Type": "application/json"}, echo.encode())
        self.send(*answer(found))

    def send_endless(self, mock):
        self.close_connection = True
        self.send_response(mock.get("status", 200))
        for name, value in mock.get("headers", {"Content-Type": "text/plain"}).items():
            self.send_header(name, value)
        self.end_headers()
        pieces = 0
        try:
            while True:
                self.wfile.write(b"x" * mock["endless"])
                self.wfile.flush()
                pieces += 1
                time.sleep(mock.get("pause", 0))
        except OSError:
            LOG.write(json.dumps({"pieces": pieces}) + "\n")

    def check(self, parameters, values, query):
        wrong = []
        declared = set()
        is_deep = False
        for parameter in parameters:
            name, schema = parameter["name"], parameter.get("schema", {})
            declared.add(name)
            is_deep |= parameter.get("style") == "deepObject" or merged(schema).get("type") == "object"
            if parameter["in"] == "path":
                wrong += text_faults(values.get(name, ""), schema, name)
            given = [value for own, value in query if own == name] if parameter["in"] == "query" else []
            if parameter["in"] == "query" and parameter.get("required") and not given and not is_deep:
                wrong.append(f"{name} is missing")
            for text in given:
                wrong += text_faults(text, schema, name)
            if parameter["in"] == "header" and parameter.get("required") and name not in self.headers:
                wrong.append(f"header {name} is missing")
        keys = {one.get("name") for one in DOCUMENT.get("components", {}).get("securitySchemes", {}).values()}
        for own, _ in query:
            if own not in declared and own not in keys and not is_deep:
                wrong.append(f"{own} is unknown")
        return wrong

    def check_body(self, operation, body):
        described = resolved(operation.get("requestBody", {}))
        media = (self.headers.get("Content-Type") or "").split(";")[0]
        if not described:
            return ["a body is not expected"] if body else []
        if not body and not media:
            return ["the body is missing"] if described.get("required") else []
        content = described["content"]
        if media not in content and "*/*" not in content:
            return [f"{media} is not expected"]
        if "json" not in media:
            return []
        return faults(json.loads(body), content.get(media, content.get("*/*")).get("schema", {}), "body")

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value.replace("HOST", self.headers["Host"]).replace("TARGET", self.path))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = handle_any


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *about):
        # A client may end its connection.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*about)


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
