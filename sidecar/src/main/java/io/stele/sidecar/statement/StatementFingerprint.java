package io.stele.sidecar.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.hash.Hashing;

/**
 * The identity of all SQL statements that differ in their constants only: the text without
 * constants, and its hash. It has no values of rows and no passwords, so that it may be logged.
 * Immutable.
 *
 * <p>Equal statements may differ in constants, in white space, in comments, in the case of names
 * and key words, and in the length of lists: {@code IN (1, 2)} and {@code IN (3, 4, 5)} are both
 * {@code in (?, ...)}. The idea is that of PostgreSQL's {@code pg_stat_statements}, which hashes
 * parse trees; this is done on the text, because statements of Trino have no parse tree here.
 *
 * @param id a hash of the whole normalized text, equal in all processes and versions
 * @param text the normalized text, at most {@value #MAX_LENGTH} characters of it
 */
public record StatementFingerprint(long id, String text) {
    /** The characters of a normalized text that are retained. */
    public static final int MAX_LENGTH = 1_024;

    public StatementFingerprint {
        requireNonNull(text, "text is null");
    }

    /** The fingerprint of one statement; takes time proportional to its length. */
    public static StatementFingerprint of(String sql) {
        String normalized = StatementNormalizer.normalize(sql);
        long id = Hashing.farmHashFingerprint64().hashString(normalized, UTF_8).asLong();
        boolean isLong = normalized.length() > MAX_LENGTH;
        return new StatementFingerprint(
                id, isLong ? normalized.substring(0, MAX_LENGTH - 3) + "..." : normalized);
    }
}
