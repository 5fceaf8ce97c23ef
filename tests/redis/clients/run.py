"""Runs the commands through clients of other languages in their current versions, from their registries: `make test-clients`.

Needs go, cargo, mvn, java 17, node with npm, and python3 with venv; a client whose tools are missing is reported, not skipped
silently. Everything is installed in a directory of its own (--dir), nothing on the system. Each client runs with RESP2 and
RESP3 against a server with the module. Prints a line per client with its version; the exit status is 1 if one failed.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness import Server  # noqa: E402


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, text=True, capture_output=True, timeout=1200).stdout


def python(at, package, script):
    run(sys.executable, "-m", "venv", f"{at}/venv", cwd=at)
    run(f"{at}/venv/bin/pip", "install", "-q", package, cwd=at)
    shown = run(f"{at}/venv/bin/pip", "show", package, cwd=at)
    return re.search(r"Version: (.*)", shown)[1], [f"{at}/venv/bin/python", script]


def node(at, package, script):
    shutil.copy(f"{HERE}/{script}", at)
    with open(f"{at}/package.json", "w") as f:
        f.write("{}")
    run("npm", "install", "--no-audit", "--no-fund", package, cwd=at)
    with open(f"{at}/node_modules/{package}/package.json") as f:
        return json.load(f)["version"], ["node", f"{at}/{script}"]


def go(at):
    shutil.copy(f"{HERE}/client.go", f"{at}/main.go")
    for words in (["mod", "init", "client"], ["get", "github.com/redis/go-redis/v9@latest"], ["build", "-o", "client", "."]):
        run("go", *words, cwd=at)
    return run("go", "list", "-m", "github.com/redis/go-redis/v9", cwd=at).split()[-1], [f"{at}/client"]


def java(at, artifact, script):
    shutil.copy(f"{HERE}/pom.xml", at)
    run("mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath", cwd=at)
    with open(f"{at}/classpath") as f:
        classpath = f.read().strip()
    version = re.search(rf"{artifact}-([0-9][^/]*)\.jar", classpath)[1]
    return version, ["java", "-cp", classpath, f"{HERE}/{script}"]


def rust(at):
    shutil.copytree(f"{HERE}/rust/src", f"{at}/src", dirs_exist_ok=True)
    with open(f"{at}/Cargo.toml", "w") as f:
        f.write('[package]\nname = "client"\nversion = "0.1.0"\nedition = "2021"\n')
    run("cargo", "add", "-q", "--no-default-features", "redis", cwd=at)
    run("cargo", "build", "-q", cwd=at)
    return re.search(r'name = "redis"\nversion = "(.*)"', open(f"{at}/Cargo.lock").read())[1], [f"{at}/target/debug/client"]


CLIENTS = {
    "redis-py": lambda at: python(at, "redis", f"{HERE}/client_redis.py"),
    "valkey-glide": lambda at: python(at, "valkey-glide-sync", f"{HERE}/client_glide.py"),
    "node-redis": lambda at: node(at, "redis", "client_node.mjs"),
    "ioredis": lambda at: node(at, "ioredis", "client_ioredis.mjs"),
    "go-redis": go,
    "jedis": lambda at: java(at, "jedis", "JedisClient.java"),
    "lettuce": lambda at: java(at, "lettuce-core", "LettuceClient.java"),
    "redis-rs": rust,
}


def check(name, port, at):
    """Returns what to print, and whether it is good."""
    try:
        os.makedirs(at)
        version, command = CLIENTS[name](at)
        for protocol in ("2", "3"):
            run(*command, str(port), protocol, cwd=at)
        return f"{version}: passed", True
    except FileNotFoundError as e:
        return f"{e.filename} is missing", False
    except subprocess.CalledProcessError as e:
        return f"failed: {' '.join(e.cmd)[:100]}\n{(e.stderr + e.stdout)[-2000:]}", False
    except subprocess.TimeoutExpired as e:
        return f"timeout: {e.cmd}", False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dir", default="build/clients", help="where the clients are installed; it is emptied first")
    parser.add_argument("clients", nargs="*", help="names, of: " + ", ".join(CLIENTS))
    arguments = parser.parse_args()
    where, failed = os.path.abspath(arguments.dir), 0
    names = arguments.clients or list(CLIENTS)
    for name in names:
        shutil.rmtree(f"{where}/{name}", ignore_errors=True)
    server = Server(arguments=("BF", "yes"))
    try:
        for name in names:
            text, good = check(name, server.port, f"{where}/{name}")
            failed += not good
            print(f"{name} {text}", flush=True)
    finally:
        server.remove()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
