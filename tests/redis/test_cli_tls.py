"""guira with rediss://: encrypted connections, certificates and ACL users."""
import os
import shutil
import socket
import subprocess
import tempfile
import unittest

from harness import ServerTest, free_port, pairs
from cli_tool import assert_lines_but_few, run


class Certificates:
    """An authority, and certificates that it has signed. Each is NAME.crt with NAME.key in a directory."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="guira-tls-")
        self.openssl("req", "-x509", *self.new_key("ca"), "-days", "2", "-subj", "/CN=test authority", "-out", self["ca.crt"])
        self.sign("server", "DNS:localhost")
        self.sign("client", "DNS:client")

    def __getitem__(self, name):
        return os.path.join(self.dir, name)

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def new_key(self, name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self[name + ".key"])

    def sign(self, name, names):
        with open(self["extensions"], "w") as f:
            f.write(f"subjectAltName={names}\n")
        self.openssl("req", *self.new_key(name), "-subj", f"/CN={name}", "-out", self[name + ".csr"])
        self.openssl("x509", "-req", "-in", self[name + ".csr"], "-CA", self["ca.crt"], "-CAkey", self["ca.key"], "-days", "2",
                     "-set_serial", str(abs(hash(name)) + 1), "-extfile", self["extensions"], "-out", self[name + ".crt"])


class TlsTest(ServerTest):
    AUTH = "no"  # do clients need a certificate?

    def setUp(self):
        self.certificates = Certificates()
        self.addCleanup(shutil.rmtree, self.certificates.dir)
        self.servers = []
        self.tls_port = free_port()
        self.server = self.new_server("--tls-port", str(self.tls_port), "--tls-cert-file", self.certificates["server.crt"],
                                      "--tls-key-file", self.certificates["server.key"], "--tls-ca-cert-file",
                                      self.certificates["ca.crt"], "--tls-auth-clients", self.AUTH)
        self.url = f"rediss://localhost:{self.tls_port}"
        self.ca = ("--tls-ca", self.certificates["ca.crt"])

    def assert_fails(self, text, done):
        self.assertIn(text, done.err)
        self.assertEqual(2, done.status)


class Servers(TlsTest):
    def test_all_commands(self):
        lines = [f"line {i}" for i in range(30000)]
        server = ("--redis", self.url, *self.ca)
        done = run("uniq", *server, "seen", lines=lines + lines[:100])
        assert_lines_but_few(self, lines, done.lines)
        self.assertEqual(0, run("add", "-q", *server, "set", lines=lines).status)
        self.assertEqual(lines, run("test", *server, "set", lines=lines).lines)
        self.assertEqual(0, run("remove", "-q", *server, "set", lines=lines[:10]).status)
        self.assertIn("guira_server_filters", run("metrics", *server).raw.decode())
        path = self.certificates["set.gf"]
        self.assertEqual(0, run("pull", *server, "seen", path).status)
        self.assertEqual(0, run("push", *server, path, "copy").status)
        self.assertEqual(len(done.lines), pairs(self.server("CF.STATS", "copy"))["items"])

    def test_a_server_that_nobody_has_vouched_for(self):
        self.assert_fails("its certificate is refused: self-signed certificate", run("uniq", "--redis", self.url, "s", lines=["a"]))
        self.certificates.openssl("req", "-x509", *self.certificates.new_key("other"), "-days", "2", "-subj", "/CN=other", "-out",
                                  self.certificates["other.crt"])
        self.assert_fails("its certificate is refused", run("uniq", "--redis", self.url, "--tls-ca", self.certificates["other.crt"],
                                                             "s", lines=["a"]))
        self.assertEqual(0, self.server("DBSIZE"))

    def test_the_certificate_must_be_for_the_host(self):
        url = f"rediss://127.0.0.1:{self.tls_port}"
        self.assert_fails("IP address mismatch", run("uniq", "--redis", url, *self.ca, "s", lines=["a"]))
        self.assertEqual(["a"], run("uniq", "--redis", url, *self.ca, "--tls-name", "localhost", "s", lines=["a"]).lines)
        self.assert_fails("ostname mismatch", run("uniq", "--redis", url, *self.ca, "--tls-name", "example.org", "s", lines=["a"]))

    def test_users(self):
        self.server("ACL", "SETUSER", "eve", "on", ">p@ss", "~seen*", "-@all", "+type", "+cf.insertnx", "+cf.reserve", "+cf.info")
        url = f"rediss://eve:p%40ss@localhost:{self.tls_port}"
        self.assertEqual(["a"], run("uniq", "--redis", url, *self.ca, "seen", lines=["a", "a"]).lines)
        self.assert_fails("NOPERM", run("uniq", "--redis", url, *self.ca, "other", lines=["a"]))
        self.assert_fails("WRONGPASS", run("uniq", "--redis", url.replace("p%40ss", "x"), *self.ca, "seen", lines=["a"]))

    def test_a_lost_connection_is_opened_again(self):
        self.assertEqual(["a"], run("uniq", "--redis", self.url, *self.ca, "seen", lines=["a"]).lines)
        self.server("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        self.assertEqual(["b"], run("uniq", "--redis", self.url, *self.ca, "seen", lines=["a", "b"]).lines)

    def test_ports_without_tls(self):
        plain = f"rediss://localhost:{self.server.port}"
        self.assert_fails("no TLS connection", run("uniq", "--redis", plain, "--redis-timeout", "2s", *self.ca, "s", lines=["a"]))
        done = run("uniq", "--redis", f"redis://localhost:{self.tls_port}", "--redis-timeout", "2s", "s", lines=["a"])
        self.assertEqual(2, done.status)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"rediss://localhost:{silent.getsockname()[1]}"
            done = run("uniq", "--redis", url, "--redis-timeout", "1s", *self.ca, "s", lines=["a"])
            self.assert_fails("no TLS connection: no answer in time (redis:// connects without TLS)", done)

    def test_options(self):
        for option in ("ca", "cert", "key", "name"):
            self.assert_fails(f"--tls-{option} requires --redis rediss://", run("uniq", f"--tls-{option}", "x", "s"))
            self.assert_fails(f"--tls-{option} requires --redis rediss://",
                              run("uniq", "--redis", f"redis://localhost:{self.server.port}", f"--tls-{option}", "x", "s"))
        self.assert_fails("nosuch: No such file", run("uniq", "--redis", self.url, "--tls-ca", "nosuch", "s"))
        self.assert_fails("--tls-key requires --tls-cert", run("uniq", "--redis", self.url, *self.ca, "--tls-key", "x", "s"))
        self.assert_fails("no private key", run("uniq", "--redis", self.url, *self.ca, "--tls-cert",
                                                self.certificates["client.crt"], "s"))


class ClientCertificates(TlsTest):
    AUTH = "yes"

    def test_a_certificate_is_presented(self):
        c = self.certificates
        for words in (("--tls-cert", c["client.crt"], "--tls-key", c["client.key"]), ("--tls-cert", c["both.pem"])):
            with open(c["both.pem"], "w") as both:
                for part in ("client.crt", "client.key"):
                    with open(c[part]) as f:
                        both.write(f.read())
            self.assertEqual(["a"], run("uniq", "--redis", self.url, *self.ca, *words, words[-1], lines=["a"]).lines)
        done = run("uniq", "--redis", self.url, *self.ca, "--redis-timeout", "2s", "s", lines=["a"])
        self.assertEqual((2, []), (done.status, done.lines))


if __name__ == "__main__":
    unittest.main()
