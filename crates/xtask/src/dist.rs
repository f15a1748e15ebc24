//! The release archive, the Debian package, the container image and the list of the crates in them, in `target/dist`.

use crate::program::{cargo, output, program, root, run, say};

/// `$1` is the version, `$2` Debian's name of the architecture, `$3` the version of the C library that the binary may
/// need. The archive is the same for the same commit: names in order, and the time of the commit.
const PACK: &str = r#"
set -eu
umask 022
version=$1 architecture=$2 libc=$3
export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
out=target/dist name=gatepost-$version-linux-$architecture
rm -rf $out && mkdir -p $out/$name $out/deb
stage() { install -D -m "$1" "$2" "$3"; }

binary=target/release/gatepost
stage 755 $binary $out/$name/gatepost
for shell in bash zsh fish; do $binary completions $shell > $out/gatepost.$shell; done
for shell in bash zsh fish; do stage 644 $out/gatepost.$shell $out/$name/completions/gatepost.$shell; done
$binary man $out/man > /dev/null
gzip -9n $out/man/*
for page in $out/man/*; do stage 644 $page $out/$name/man/man1/${page##*/}; done
stage 644 deploy/systemd/gatepost.service $out/$name/gatepost.service
for text in README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT; do stage 644 $text $out/$name/$text; done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$SOURCE_DATE_EPOCH -C $out -cf - $name | gzip -9n > $out/$name.tar.gz

deb=$out/deb
stage 755 $binary $deb/usr/bin/gatepost
stage 644 deploy/systemd/gatepost.service $deb/lib/systemd/system/gatepost.service
stage 644 $out/gatepost.bash $deb/usr/share/bash-completion/completions/gatepost
stage 644 $out/gatepost.zsh $deb/usr/share/zsh/vendor-completions/_gatepost
for page in $out/man/*; do stage 644 $page $deb/usr/share/man/man1/${page##*/}; done
stage 644 $out/gatepost.fish $deb/usr/share/fish/vendor_completions.d/gatepost.fish
for text in README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT; do stage 644 $text $deb/usr/share/doc/gatepost/$text; done
install -d -m 755 $deb/etc/gatepost
mkdir $deb/DEBIAN
cat > $deb/DEBIAN/control <<END
Package: gatepost
Version: $version
Architecture: $architecture
Maintainer: Gatepost developers <gatepost@example.invalid>
Depends: libc6 (>= $libc), ca-certificates
Section: web
Priority: optional
Description: API keys in, webhooks out, for any SaaS
 Users sign in at their own identity provider and manage API keys. The host
 application publishes events, and Gatepost delivers them signed and retried.
END
printf '#!/bin/sh\nset -e\n[ ! -d /run/systemd/system ] || systemctl daemon-reload\n' > $deb/DEBIAN/postinst
chmod 755 $deb/DEBIAN/postinst
dpkg-deb --root-owner-group --build $deb $out/gatepost_${version}_$architecture.deb > /dev/null
deploy/image/build.sh $binary $out/gatepost-$version-image-$architecture.tar

cd $out
rm -r deb man $name gatepost.bash gatepost.zsh gatepost.fish
"#;

/// The list of the crates that are linked into the binary, in `CycloneDX` 1.5, with the checksums of Cargo.lock. Crates of
/// this repository have none.
const LIST_CRATES: &str = r#"
set -eu
crates=$(cargo tree --locked --package app --edges normal,no-proc-macro --prefix none --format '{p}|{l}' |
    sed -E 's/ \(\*\)$//; s/ \([^)]*\)\|/|/' | sort -u)
checksums=$(awk -F'"' '/^name = /{name=$2} /^version = /{version=$2} /^checksum = /{print name, version, $2}' Cargo.lock)
at=$(date -u -d "@$(git log -1 --format=%ct)" +%FT%TZ)
jq --null-input --arg version "$1" --arg at "$at" --arg crates "$crates" --arg checksums "$checksums" '
    ($checksums | split("\n") | map(split(" ") | { key: "\(.[0]) v\(.[1])", value: .[2] }) | from_entries) as $sums
    | { bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
        metadata: { timestamp: $at,
            component: { type: "application", "bom-ref": "gatepost", name: "gatepost", version: $version } },
        components: [ $crates | split("\n")[] | split("|") as [$crate, $license] | ($crate | split(" v")) as [$name, $number]
            | { type: "library", "bom-ref": $crate, name: $name, version: $number }
                + if $license == "" then {} else { licenses: [ { expression: ($license | gsub(" */ *"; " OR ")) } ] } end
                + if $sums[$crate] then
                    { purl: "pkg:cargo/\($name)@\($number)", hashes: [ { alg: "SHA-256", content: $sums[$crate] } ] }
                else {} end ] }' > "target/dist/gatepost-$1.cdx.json"
cd target/dist
sha256sum *.deb *.tar *.tar.gz *.cdx.json > SHA256SUMS
"#;

/// Unpacks both again, and runs the programs in them.
const CHECK: &str = r#"
set -eu
cd target/dist
sha256sum --quiet --check SHA256SUMS
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
tar -xzf *.tar.gz -C "$scratch" && dpkg-deb --extract *.deb "$scratch/root"
"$scratch"/gatepost-*/gatepost --version
"$scratch/root/usr/bin/gatepost" --version
bash -n "$scratch/root/usr/share/bash-completion/completions/gatepost"
"$scratch/root/usr/bin/gatepost" man "$scratch/man" > /dev/null && gzip -9n "$scratch"/man/*
diff -r "$scratch/man" "$scratch/root/usr/share/man/man1"
diff -r "$scratch/man" "$scratch"/gatepost-*/man/man1
for page in "$scratch"/man/*; do man --warnings -E UTF-8 -l -Tutf8 "$page" 2> "$scratch/complaints" > /dev/null; test ! -s "$scratch/complaints"; done
systemd-analyze security --offline=true --threshold=19 "$scratch/root/lib/systemd/system/gatepost.service" > /dev/null
# The paths in the messages of panics name crates that are in the binary whatever the list says.
jq -r '.components[] | "\(.name)-\(.version)"' *.cdx.json | sort -u > "$scratch/listed"
grep -aoE 'index\.crates\.io-[0-9a-f]+/[A-Za-z0-9_.+-]+/' "$scratch/root/usr/bin/gatepost" | cut -d/ -f2 | sort -u > "$scratch/linked"
test "$(wc -l < "$scratch/linked")" -gt 50
test -z "$(comm -23 "$scratch/linked" "$scratch/listed")"
dpkg-deb --field *.deb Package Version Architecture Depends
"#;

/// Builds the release binary and packs it.
///
/// # Errors
///
/// When the build fails, or `dpkg-deb` or `jq` is missing.
pub(crate) fn pack() -> anyhow::Result<()> {
    run(cargo(["build", "--release", "--locked", "--package", "app"]))?;
    let version = words(&root().join("target/release/gatepost").to_string_lossy(), &["--version"])?;
    let libc = words("getconf", &["GNU_LIBC_VERSION"])?;
    let architecture = words("dpkg", &["--print-architecture"])?;
    let last = |words: String| words.split_whitespace().last().unwrap_or_default().to_owned();
    let arguments = [last(version), last(architecture), last(libc)];
    for script in [PACK, LIST_CRATES] {
        let shell = ["-c", script, "dist"].into_iter().chain(arguments.iter().map(String::as_str));
        run(program("sh", shell))?;
    }
    say("wrote target/dist");
    Ok(())
}

/// Checks the output of [`pack`].
///
/// # Errors
///
/// When a file is missing, or a program does not run.
pub(crate) fn check() -> anyhow::Result<()> {
    run(program("sh", ["-c", CHECK]))
}

fn words(name: &str, arguments: &[&str]) -> anyhow::Result<String> {
    Ok(String::from_utf8(output(program(name, arguments.iter().copied()))?)?)
}
