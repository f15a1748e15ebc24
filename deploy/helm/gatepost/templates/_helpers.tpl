{{- define "gatepost.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "gatepost.selector" -}}
app.kubernetes.io/name: gatepost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gatepost.labels" -}}
{{ include "gatepost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "gatepost.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: secrets
    secret:
      secretName: {{ required "existingSecret is required" .Values.existingSecret }}
      defaultMode: 0440
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "gatepost.image" -}}
"{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
{{- end }}

{{- define "gatepost.container" -}}
name: gatepost
image: {{ include "gatepost.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- range $name, $value := .Values.config }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
  - { name: METRICS_LISTEN, value: "0.0.0.0:9464" }
  - { name: DATABASE_URL_FILE, value: /run/secrets/gatepost/database-url }
  - { name: ENCRYPTION_KEY_FILE, value: /run/secrets/gatepost/encryption-key }
  - { name: OPERATOR_TOKEN_FILE, value: /run/secrets/gatepost/operator-token }
  # The job migrates.
  - { name: MIGRATE, value: "false" }
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/gatepost, readOnly: true }
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toYaml .Values.resources | nindent 2 }}
{{- end }}
