//! Private keys on curves, for tests only. Anyone can see that these are no secrets: each consists of
//! ones. So no file here looks like a leaked key to a scanner of secrets.

/// Returns the key of `fixtures/ed25519.pub.pem` as PKCS #8 (RFC 8410).
pub(crate) fn ed25519() -> Vec<u8> {
    const HEAD: &[u8] = b"\x30\x2e\x02\x01\0\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
    [HEAD, &[1; 32]].concat()
}

/// Returns the key of `fixtures/p256.pub.pem` as PKCS #8 (RFC 5915).
pub(crate) fn p256() -> Vec<u8> {
    const HEAD: &[u8] = b"\x30\x41\x02\x01\0\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\
        \x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x04\x27\x30\x25\x02\x01\x01\x04\x20";
    [HEAD, &[1; 32]].concat()
}

/// Returns the key of `fixtures/p384.pub.pem` as PKCS #8 (RFC 5915).
pub(crate) fn p384() -> Vec<u8> {
    const HEAD: &[u8] = b"\x30\x4e\x02\x01\0\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\
        \x06\x05\x2b\x81\x04\0\x22\x04\x37\x30\x35\x02\x01\x01\x04\x30";
    [HEAD, &[1; 48]].concat()
}
