package io.stele.protocol.predicate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.stele.protocol.schema.SchemaJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * A builder of the canonical text of a read of one immutable file, for the keys of cached results.
 * Equal reads have equal texts. The text has the requested result and the conditions that the
 * file's statistics leave open ({@link ScanPredicate#residual}). Results are cached under its
 * digest. Not thread-safe.
 */
public final class CanonicalRead {
    private final StringBuilder text;

    /**
     * @param format the version of the results' encoding and meaning; results of another version
     *     are never found
     */
    public CanonicalRead(int format) {
        this.text = new StringBuilder().append(format).append('\n');
    }

    private CanonicalRead(CharSequence text) {
        this.text = new StringBuilder(text);
    }

    /** A copy, which can be continued differently. */
    public CanonicalRead copy() {
        return new CanonicalRead(text);
    }

    /** Adds a line of text, without line breaks. */
    public CanonicalRead add(String line) {
        text.append(requireNonNull(line, "line is null")).append('\n');
        return this;
    }

    /** Adds a value as JSON. */
    public CanonicalRead addJson(Object value) {
        try {
            return add(SchemaJson.mapper().writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Cannot write " + value, e);
        }
    }

    /** Adds the remaining conditions, by column id. */
    public CanonicalRead addConditions(Map<Integer, ColumnDomain> residual) {
        new TreeMap<>(residual).forEach((id, domain) -> addCondition(id.toString(), domain));
        return this;
    }

    /**
     * Adds a condition.
     *
     * @param column the column's id, and the ids of a field inside it
     */
    public CanonicalRead addCondition(String column, ColumnDomain domain) {
        text.append(column).append(' ');
        return addJson(domain);
    }

    /** The SHA-256 digest of the text, in hexadecimal digits. */
    public String digest() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.toString().getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
