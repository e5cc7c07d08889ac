package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;

/**
 * The identity of an immutable file in the page cache: its table, id and size. Readers create it
 * when they open the file and reuse it, because it hashes the id to the 128 bits that identify the
 * file in indexes and checksums.
 *
 * <p>Invariant: the bytes of an id never change. A path that is written again needs another id, for
 * example the path with the version of its content.
 *
 * <p>Immutable.
 */
public final class CachedFile {
    private final String table;
    private final String id;
    private final long sizeBytes;
    private final long high;
    private final long low;
    private final boolean admitsOnSecondAccess;

    /**
     * @param table to whose share and statistics the pages are counted
     * @param id the name of the file, never used for other content
     */
    public CachedFile(String table, String id, long sizeBytes) {
        this.table = requireNonNull(table, "table is null");
        this.id = requireNonNull(id, "id is null");
        if (sizeBytes < 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a size of at least 0 for %s, found %d",
                            id,
                            sizeBytes));
        }
        this.sizeBytes = sizeBytes;
        ByteBuffer hash = ByteBuffer.wrap(sha256(id));
        this.high = hash.getLong();
        this.low = hash.getLong();
        this.admitsOnSecondAccess = false;
    }

    private CachedFile(CachedFile file) {
        table = file.table;
        id = file.id;
        sizeBytes = file.sizeBytes;
        high = file.high;
        low = file.low;
        admitsOnSecondAccess = true;
    }

    /**
     * The identity of this file for a worker that is not its preferred one. Cached pages are found,
     * but fetched pages are cached only if they were fetched before.
     */
    public CachedFile admittedOnSecondAccess() {
        return new CachedFile(this);
    }

    boolean admitsOnSecondAccess() {
        return admitsOnSecondAccess;
    }

    public String table() {
        return table;
    }

    public String id() {
        return id;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    /** The key of the {@code page}-th page of this file, counted from 0. */
    public PageKey key(long page) {
        return new PageKey(
                PageKey.mix(high + page * 0x9E3779B97F4A7C15L),
                PageKey.mix(low ^ Long.rotateLeft(page * 0xD1B54A32D192ED03L, 32)));
    }

    @Override
    public String toString() {
        return id;
    }

    private static byte[] sha256(String id) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
