package io.stele.engine.transaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The access to the objects in the store that record which transactions committed in one phase,
 * with their text format.
 *
 * <pre>
 * path:    txn/committed/&lt;epoch of the transactions&gt;/&lt;epoch of the writer&gt;-&lt;number&gt;, 20 digits each
 * content: stele-outcomes 1
 *          &lt;transaction id&gt; &lt;commit LSN&gt;      for each
 *          crc32c &lt;8 hex digits over all before this line&gt;
 * </pre>
 *
 * <p>A transaction may be in several objects. Blocks on the store; safe for use by many threads.
 */
public final class SavedOutcomes {
    private static final String FOLDER = Decision.FOLDER + "committed/";
    private static final Pattern PATH =
            Pattern.compile(Pattern.quote(FOLDER) + "[0-9]{20}/(?<epoch>[0-9]{20})-[0-9]{20}");
    private static final String TITLE = "stele-outcomes 1";
    private static final String CHECKSUM = "crc32c ";

    private final ObjectStore store;

    public SavedOutcomes(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    /**
     * The path of an object.
     *
     * @param ofEpoch the epoch in which the transactions began
     * @param number the number of the object among the objects of this writer
     */
    static String path(long ofEpoch, long writerEpoch, long number) {
        return String.format(Locale.ROOT, "%s%020d-%020d", folder(ofEpoch), writerEpoch, number);
    }

    private static String folder(long ofEpoch) {
        return String.format(Locale.ROOT, "%s%020d/", FOLDER, ofEpoch);
    }

    /** Whether it is the path of an object that an engine of an earlier epoch has written. */
    static boolean isBefore(String path, long epoch) {
        Matcher parts = PATH.matcher(path);
        return parts.matches() && Long.parseLong(parts.group("epoch")) < epoch;
    }

    /** Writes an object; it may exist after a failure. */
    void write(String path, Map<String, Lsn> outcomes) throws IOException {
        store.put(path, encode(outcomes));
    }

    /**
     * The commit LSN of a transaction, if an object has it: one LIST, and a GET for each object.
     */
    Optional<Lsn> find(String transactionId) throws IOException {
        for (ObjectEntry entry : store.list(folder(TransactionIds.epoch(transactionId)))) {
            Lsn found = decode(entry.path(), store.readFully(entry.path())).get(transactionId);
            if (found != null) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    static byte[] encode(Map<String, Lsn> outcomes) {
        StringBuilder lines = new StringBuilder(TITLE).append('\n');
        outcomes.forEach((id, lsn) -> lines.append(id).append(' ').append(lsn).append('\n'));
        String text = lines.toString();
        return (text + CHECKSUM + Decision.checksum(text) + "\n").getBytes(UTF_8);
    }

    /** Decodes an object; throws CORRUPT_DATA naming the path when these bytes are none. */
    static Map<String, Lsn> decode(String path, byte[] bytes) {
        String text = new String(bytes, UTF_8);
        int end = text.lastIndexOf(CHECKSUM);
        if (!text.startsWith(TITLE + "\n") || end < 0) {
            throw corrupt(path, "outcomes of version 1", text.lines().findFirst().orElse(""));
        }
        String expected = CHECKSUM + Decision.checksum(text.substring(0, end)) + "\n";
        if (!text.substring(end).equals(expected)) {
            throw corrupt(path, expected.strip(), text.substring(end).strip());
        }
        Map<String, Lsn> outcomes = new LinkedHashMap<>();
        text.substring(TITLE.length() + 1, end).lines().forEach(line -> add(outcomes, path, line));
        return outcomes;
    }

    private static void add(Map<String, Lsn> outcomes, String path, String line) {
        int space = line.indexOf(' ');
        try {
            outcomes.put(
                    line.substring(0, space), new Lsn(Long.parseLong(line.substring(space + 1))));
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            throw corrupt(path, "a transaction id and an LSN", line);
        }
    }

    private static SteleException corrupt(String path, String expected, String found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s, found %s in %s".formatted(expected, found, path));
    }
}
