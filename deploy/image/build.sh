#!/bin/sh
# Writes the container image of a binary: deploy/image/build.sh BINARY FILE.tar
#
# The file is an OCI image layout, which `docker load`, `podman load`, `skopeo` and `crane` read. It has two layers: what
# the binary needs of this Debian machine, and the binary. The same binary, commit and machine make the same bytes. See
# docs/install.md (decision 85). `LEVEL` is that of `gzip`.
set -eu
umask 022
export LC_ALL=C
binary=$1 out=$2

version=$("$binary" --version | cut -d ' ' -f 2)
revision=$(git rev-parse HEAD)
at=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
created=$(date -u -d "@$at" +%FT%TZ)
architecture=$(dpkg --print-architecture)
user=65532

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
base=$scratch/base app=$scratch/app layout=$scratch/layout
blobs=$layout/blobs/sha256
mkdir -p "$base/etc/ssl/certs" "$base/var/lib/dpkg/status.d" "$app/usr/bin" "$blobs"

# The libraries, with what scanners and licences ask for: the package of each, and its copyright.
for library in $(ldd "$binary" | grep -o '/[^ ]*'); do
    install -D -m 755 "$library" "$base$library"
done
packages=$(for library in $(ldd "$binary" | grep -o '/[^ ]*'); do
    dpkg -S "$library" 2> /dev/null || dpkg -S "$(realpath "$library")"
done | cut -d : -f 1 | sort -u)
for package in $packages ca-certificates; do
    dpkg-query -s "$package" > "$base/var/lib/dpkg/status.d/$package"
    install -D -m 644 "/usr/share/doc/$package/copyright" "$base/usr/share/doc/$package/copyright"
done
install -m 644 /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
printf 'root:x:0:0::/:/nonexistent\ngatepost:x:%s:%s::/data:/nonexistent\n' "$user" "$user" > "$base/etc/passwd"
printf 'root:x:0:\ngatepost:x:%s:\n' "$user" > "$base/etc/group"
echo 'hosts: files dns' > "$base/etc/nsswitch.conf"
mkdir "$base/dev" "$base/proc" "$base/sys" "$base/tmp"
install -d -m 700 "$base/data"
install -m 755 "$binary" "$app/usr/bin/gatepost"

# $1 is the operation, $2 the archive, $3 the owner of the files.
pack() {
    operation=$1 archive=$2 owner=$3
    shift 3
    tar "$operation" "$archive" --sort=name --format=gnu --numeric-owner --owner="$owner" --group="$owner" \
        --mtime="@$at" "$@"
}
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
# Moves the file to the blobs, and prints its descriptor without the media type.
put() {
    digest=$(sum "$1")
    size=$(stat -c %s "$1")
    mv "$1" "$blobs/$digest"
    jq -nc --arg digest "sha256:$digest" --argjson size "$size" '{ digest: $digest, size: $size }'
}

pack -cf "$scratch/base.tar" 0 -C "$base" --exclude=./data .
pack -rf "$scratch/base.tar" "$user" -C "$base" ./data
pack -cf "$scratch/app.tar" 0 -C "$app" .
diffs=$(jq -nc '$ARGS.positional' --args "sha256:$(sum "$scratch/base.tar")" "sha256:$(sum "$scratch/app.tar")")
gzip "-${LEVEL:-6}n" "$scratch/base.tar" "$scratch/app.tar"
base_layer=$(put "$scratch/base.tar.gz")
app_layer=$(put "$scratch/app.tar.gz")

# Docker keeps its `Healthcheck` beside what the specification of images has.
jq -nc --arg created "$created" --arg architecture "$architecture" --arg user "$user:$user" --arg version "$version" \
    --arg revision "$revision" --argjson diffs "$diffs" '
    { created: $created, architecture: $architecture, os: "linux",
      config: {
        User: $user, WorkingDir: "/data", Entrypoint: ["/usr/bin/gatepost"], Cmd: ["serve"], StopSignal: "SIGTERM",
        Env: ["PATH=/usr/bin", "LISTEN=0.0.0.0:8080"],
        ExposedPorts: { "8080/tcp": {} }, Volumes: { "/data": {} },
        Healthcheck: { Test: ["CMD", "/usr/bin/gatepost", "health"], Interval: 10000000000, Timeout: 6000000000,
            StartPeriod: 30000000000, Retries: 3 },
        Labels: {
          "org.opencontainers.image.title": "Gatepost",
          "org.opencontainers.image.description": "API keys in, webhooks out, for any SaaS",
          "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
          "org.opencontainers.image.version": $version,
          "org.opencontainers.image.revision": $revision,
          "org.opencontainers.image.created": $created } },
      rootfs: { type: "layers", diff_ids: $diffs },
      history: [
        { created: $created, created_by: "the libraries and certificate authorities of Debian" },
        { created: $created, created_by: "the binary" } ] }' > "$scratch/config"
config=$(put "$scratch/config")
jq -nc --argjson config "$config" --argjson base "$base_layer" --argjson app "$app_layer" '
    def layer: { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip" } + .;
    { schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: ({ mediaType: "application/vnd.oci.image.config.v1+json" } + $config),
      layers: [($base | layer), ($app | layer)] }' > "$scratch/manifest"
manifest=$(put "$scratch/manifest")
jq -nc --argjson manifest "$manifest" --arg architecture "$architecture" --arg version "$version" '
    { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: [ { mediaType: "application/vnd.oci.image.manifest.v1+json" } + $manifest
        + { platform: { architecture: $architecture, os: "linux" },
            annotations: { "org.opencontainers.image.ref.name": $version,
                "io.containerd.image.name": "docker.io/library/gatepost:\($version)" } } ] }' > "$layout/index.json"
echo '{"imageLayoutVersion":"1.0.0"}' > "$layout/oci-layout"
# `docker load` before version 25 reads this file instead of the index.
jq -nc --argjson config "$config" --argjson base "$base_layer" --argjson app "$app_layer" --arg version "$version" '
    def path: "blobs/sha256/" + (.digest | ltrimstr("sha256:"));
    [ { Config: ($config | path), RepoTags: ["gatepost:\($version)"], Layers: [($base | path), ($app | path)] } ]' \
    > "$layout/manifest.json"
pack -cf "$out" 0 -C "$layout" blobs index.json manifest.json oci-layout
