"""Rules of the packages that need no build: names, platforms, manifests and links."""

import base64
import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import parse_qs, urlparse

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / ".packaging"))

from release import archive, image, links, mcpb, merge, npm, project, publish, registry
from release.commands import Failure
from release.targets import TARGETS

HASHES = {target: format(index, "064x") for index, target in enumerate(TARGETS, start=1)}
WINDOWS = next(target for target in TARGETS if target.npm_os == "win32")


class Platforms(unittest.TestCase):
    """Everything that names platforms agrees with the one table."""

    def test_the_launcher_depends_on_each_platform_package_in_one_exact_version(self):
        manifest = npm.launcher_manifest()
        expected = {f"@pd-runtime/pd-gateway-{target.npm_os}-{target.npm_cpu}": project.version()
                    for target in TARGETS}
        self.assertEqual(manifest["optionalDependencies"], expected)
        self.assertEqual(manifest["mcpName"], project.MCP_NAME)

    def test_no_package_has_an_install_script(self):
        for manifest in [npm.launcher_manifest(), *map(npm.platform_manifest, TARGETS)]:
            self.assertNotIn("scripts", manifest)

    def test_a_platform_package_is_refused_elsewhere(self):
        for target in TARGETS:
            manifest = npm.platform_manifest(target)
            self.assertEqual((manifest["os"], manifest["cpu"]),
                             ([target.npm_os], [target.npm_cpu]))
            self.assertEqual(manifest.get("libc"), ["glibc"] if "gnu" in target.triple else None)

    def test_platform_packages_are_published_before_the_launcher(self):
        self.assertEqual(publish.npm_packages()[-1], "pd-gateway")
        self.assertEqual(len(publish.npm_packages()), len(TARGETS) + 1)

    def test_the_formula_has_each_platform_of_homebrew_with_its_hash(self):
        text = merge.formula(HASHES)
        for target, digest in HASHES.items():
            self.assertEqual(digest in text, target is not WINDOWS, target.triple)
        self.assertNotIn("@", text)

    def test_the_formula_has_only_platforms_that_were_built(self):
        text = merge.formula({TARGETS[0]: HASHES[TARGETS[0]]})
        self.assertNotIn("on_macos", text)
        self.assertEqual(text.count("sha256"), 1)

    def test_scoop_has_the_windows_archive_and_the_address_of_the_next_one(self):
        manifest = json.loads(merge.scoop_manifest(HASHES))
        windows = manifest["architecture"]["64bit"]
        self.assertEqual(windows["hash"], HASHES[WINDOWS])
        following = manifest["autoupdate"]["architecture"]["64bit"]["url"]
        self.assertEqual(following.replace("$version", project.version()), windows["url"])
        self.assertIsNone(merge.scoop_manifest({}))

    def test_binstall_downloads_the_archives_that_are_packed(self):
        manifest = project.GATEWAY / "Cargo.toml"
        for target in TARGETS:
            section = "package.metadata.binstall"
            if target is WINDOWS:
                section += f".overrides.{target.triple}"
            url = project.manifest_value("pkg-url", section, manifest)
            for key, value in {"repo": project.repository(), "version": project.version(),
                               "name": project.NAME, "target": target.triple}.items():
                url = url.replace(f"{{ {key} }}", value)
            file = project.base_name(target) + target.archive_suffix
            self.assertEqual(url, project.download_url(file))

    def test_the_archive_has_the_program_where_binstall_looks_for_it(self):
        template = project.manifest_value("bin-dir", "package.metadata.binstall",
                                          project.GATEWAY / "Cargo.toml")
        for target in TARGETS:
            program = archive.members(target, Path(f"pd-gateway{target.exe}"))[0][0]
            expected = (template.replace("{ name }-{ version }-{ target }",
                                         project.base_name(target))
                        .replace("{ bin }", "pd-gateway")
                        .replace("{ binary-ext }", target.exe))
            self.assertEqual(program, expected)


class Manifests(unittest.TestCase):
    def test_the_bundle_starts_the_program_of_its_platform(self):
        for target in TARGETS:
            manifest = mcpb.manifest(target)
            server = manifest["server"]
            self.assertEqual(server["entry_point"], f"server/pd-gateway{target.exe}")
            self.assertEqual(server["mcp_config"]["command"],
                             "${__dirname}/" + server["entry_point"])
            self.assertEqual(manifest["compatibility"]["platforms"], [target.npm_os])
            self.assertEqual(manifest["version"], project.version())

    def test_each_value_that_the_bundle_asks_for_is_used(self):
        manifest = mcpb.manifest(TARGETS[0])
        used = re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest["server"]))
        self.assertEqual(set(used), set(manifest["user_config"]))

    def test_images_have_the_label_that_the_registry_compares(self):
        self.assertEqual(image.labels("abc")["io.modelcontextprotocol.server.name"],
                         project.MCP_NAME)
        for name in image.VARIANTS.values():
            text = (project.PACKAGING / "oci" / name).read_text(encoding="utf-8")
            self.assertIn(f'io.modelcontextprotocol.server.name="{project.MCP_NAME}"', text)
            # Files lose their executable bit between jobs of a workflow.
            self.assertIn("COPY --chmod=0755 ${TARGETARCH}/pd-gateway", text)

    def test_the_page_of_the_packages_has_the_registrys_marker(self):
        readme = (project.GATEWAY / "README.md").read_text(encoding="utf-8")
        self.assertIn(f"<!-- mcp-name: {project.MCP_NAME} -->", readme)

    def test_a_tag_must_be_the_version(self):
        with self.assertRaisesRegex(Failure, re.escape(f"push the tag v{project.version()}")):
            project.check_tag("v99.0.0", "")

    def test_a_tag_needs_a_section_with_a_date(self):
        version = project.version()
        with self.assertRaisesRegex(Failure, "no section"):
            project.check_tag(f"v{version}", "# Changelog\n\n## 99.0.0\n")
        with self.assertRaisesRegex(Failure, "write the date"):
            project.check_tag(f"v{version}", f"## {version} (unreleased)\n")
        with contextlib.redirect_stdout(io.StringIO()):
            project.check_tag(f"v{version}", f"## {version} (2026-12-01)\n")


class ServerJson(unittest.TestCase):
    """The registry's rules, each with an entry that breaks it."""

    def setUp(self):
        self.server = json.loads(registry.server_json(HASHES))

    def package(self, kind):
        return next(package for package in self.server["packages"]
                    if package["registryType"] == kind)

    def assert_refused(self, text):
        self.assertIn(text, "; ".join(registry.violations(self.server)))

    def test_the_entry_has_all_packages_and_keeps_the_rules(self):
        self.assertEqual(registry.violations(self.server), [])
        kinds = [package["registryType"] for package in self.server["packages"]]
        self.assertEqual(kinds, ["npm", "pypi", "oci"] + ["mcpb"] * len(TARGETS))

    def test_versions_are_equal(self):
        for package in self.server["packages"]:
            version = package.get("version") or package["identifier"].rpartition(":")[2]
            self.assertEqual(version, self.server["version"])
        self.package("npm")["version"] = "9.9.9"
        self.assert_refused("`version` is not the server's version")

    def test_a_prerelease_has_pythons_spelling_on_pypi(self):
        self.assertEqual(project.python_version("1.0.0-rc.1"), "1.0.0rc1")
        self.assertEqual(project.python_version("1.0.0"), "1.0.0")
        for package in [self.server, *self.server["packages"]]:
            if "version" in package:
                package["version"] = "1.0.0-rc.1"
        self.assert_refused("`version` is not the server's version")
        self.package("pypi")["version"] = "1.0.0rc1"
        self.assertEqual(registry.violations(self.server), [])

    def test_a_range_is_refused(self):
        for text in ("^1.0.0", "1.x", ">=1", "latest", "", "1.*"):
            self.package("pypi")["version"] = text
            self.assert_refused("`version` is not one version")

    def test_the_name_has_a_pattern(self):
        for text in ("pd-gateway", "a/b/c", "io.github.x/pd gateway"):
            self.server["name"] = text
            self.assert_refused("`name` is not NAMESPACE/NAME")

    def test_the_description_has_at_most_100_characters(self):
        self.server["description"] = "x" * 100
        self.assertEqual(registry.violations(self.server), [])
        self.server["description"] += "x"
        self.assert_refused("1 to 100 characters")

    def test_an_image_is_one_reference_with_a_tag(self):
        self.package("oci")["version"] = self.server["version"]
        self.assert_refused("`version` is not allowed for oci")
        for reference, error in (("ghcr.io/owner/name", "has no tag"),
                                 ("localhost:5000/name:1.0.0", "the image is not on"),
                                 ("ghcr.io/Owner/name:1.0.0", "upper-case")):
            self.package("oci")["identifier"] = reference
            self.assert_refused(error)

    def test_a_bundle_has_an_address_and_a_hash(self):
        bundle = self.package("mcpb")
        bundle["fileSha256"] = "A" * 64
        self.assert_refused("64 lower-case hexadecimal digits")
        bundle["identifier"] = "http://example.com/bundle.zip"
        self.assert_refused("is not an https address")
        self.assert_refused('does not contain "mcp"')


class Links(unittest.TestCase):
    """The links decode to the server that they promise to install."""

    def test_cursor(self):
        query = parse_qs(urlparse(links.all_links()["Cursor"]).query)
        self.assertEqual(query["name"], ["gateway"])
        self.assertEqual(json.loads(base64.b64decode(query["config"][0])), links.CONFIG)

    def test_vs_code(self):
        for client in ("VS Code", "VS Code Insiders"):
            address = urlparse(links.all_links()[client])
            query = parse_qs(address.query)
            self.assertTrue(address.netloc.endswith("vscode.dev"))
            self.assertEqual(json.loads(query["config"][0]), links.CONFIG)
            self.assertNotIn("+", address.query)

    def test_links_in_pages_are_the_generated_ones(self):
        known = set(links.all_links().values())
        pages = [ROOT / "README.md", project.GATEWAY / "README.md",
                 *(project.GATEWAY / "docs").glob("*.md")]
        pattern = r"https://[\w.]*(?:cursor\.com/en/install-mcp|vscode\.dev/redirect/mcp)[^)\s\"]*"
        for page in pages:
            for link in re.findall(pattern, page.read_text(encoding="utf-8")):
                self.assertIn(link, known, page.name)


@unittest.skipUnless(shutil.which("node"), "needs Node.js")
class Launcher(unittest.TestCase):
    """The launcher, with a script in the place of the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package = Path(folder.name) / "node_modules" / "pd-gateway"
        (self.package / "bin").mkdir(parents=True)
        self.launcher = self.package / "bin" / "pd-gateway.js"
        shutil.copy(project.PACKAGING / "npm" / "pd-gateway.js", self.launcher)
        self.manifest = npm.launcher_manifest()
        self.write_manifest()

    def write_manifest(self):
        (self.package / "package.json").write_text(json.dumps(self.manifest), encoding="utf-8")

    def start(self, *arguments):
        return subprocess.run(["node", str(self.launcher), *arguments], text=True,
                              capture_output=True, check=False, timeout=60)

    def test_a_missing_package_is_named_with_the_command_that_installs_it(self):
        ended = self.start("--version")
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"npm install @pd-runtime/pd-gateway-\w+-\w+@[\d.]+\n")

    def test_an_unknown_platform_lists_the_known_ones(self):
        self.manifest["optionalDependencies"] = {"@pd-runtime/pd-gateway-other-cpu": "1.0.0"}
        self.write_manifest()
        ended = self.start()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("the platforms are other-cpu.", ended.stderr)

    @unittest.skipIf(sys.platform == "win32", "the program is a script")
    def test_arguments_and_exit_code_pass_through(self):
        target = next(one for one in TARGETS if self.is_here(one))
        package = self.package.parent / npm.platform_name(target)
        (package / "bin").mkdir(parents=True)
        (package / "package.json").write_text(json.dumps(npm.platform_manifest(target)),
                                              encoding="utf-8")
        program = package / "bin" / "pd-gateway"
        program.write_text('#!/bin/sh\necho "$@"\nexit 7\n', encoding="utf-8")
        program.chmod(0o755)
        ended = self.start("serve", "--listing", "full")
        self.assertEqual((ended.stdout, ended.returncode), ("serve --listing full\n", 7))

    def is_here(self, target):
        suffix = subprocess.check_output(
            ["node", "-p", "process.platform + '-' + process.arch"], text=True)
        return target.npm_suffix == suffix.strip()


if __name__ == "__main__":
    unittest.main()
