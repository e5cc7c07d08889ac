package io.stele.objectstore;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A SHA-256 hash function with hexadecimal results. Pure. */
public final class Sha256 {
    private Sha256() {}

    /** The hash of {@code content}, as 64 digits. */
    public static String hex(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected SHA-256, which every JDK has", e);
        }
    }
}
