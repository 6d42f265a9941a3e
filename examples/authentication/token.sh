#!/bin/sh
# Prints a token for SUBJECT with SCOPES: sh token.sh alice "shop orders:refund"
# The first run makes the key: issuer.pem signs, issuer.pub.pem is for the server.
set -eu
test -f issuer.pem || openssl genpkey -algorithm ed25519 -out issuer.pem
openssl pkey -in issuer.pem -pubout -out issuer.pub.pem
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
header=$(printf '{"alg":"EdDSA","typ":"at+jwt"}' | base64url)
claims=$(printf '{"iss":"https://id.example","aud":"https://shop.example/mcp","sub":"%s","scope":"%s","exp":%s}' \
    "$1" "$2" "$(($(date +%s) + 3600))" | base64url)
# Ed25519 signs a file in one piece.
printf '%s.%s' "$header" "$claims" > token.unsigned
signature=$(openssl pkeyutl -sign -inkey issuer.pem -rawin -in token.unsigned | base64url)
rm token.unsigned
printf '%s.%s.%s\n' "$header" "$claims" "$signature"
