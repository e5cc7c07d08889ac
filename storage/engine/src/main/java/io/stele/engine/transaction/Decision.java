package io.stele.engine.transaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The outcome of a transaction that commits by a decision object in the store, with the text format
 * of that object.
 *
 * <pre>
 * stele-decision 1
 * transaction &lt;id&gt;
 * outcome committed|aborted
 * lsn &lt;commit LSN&gt;
 * publish &lt;table id, or -&gt;
 * decided-by &lt;epoch of the engine&gt;
 * crc32c &lt;8 hex digits over all before this line&gt;
 * </pre>
 *
 * @param lsn the commit LSN; {@link Lsn#MIN} if it was aborted
 * @param publish a staged table that became public with it
 */
public record Decision(
        String transactionId, boolean committed, Lsn lsn, Optional<TableId> publish, long epoch) {
    public static final String FOLDER = "txn/";

    private static final int LINES = 7;

    public Decision {
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(lsn, "lsn is null");
        requireNonNull(publish, "publish is null");
    }

    public static Decision aborted(String transactionId, long epoch) {
        return new Decision(transactionId, false, Lsn.MIN, Optional.empty(), epoch);
    }

    /**
     * The path of a decision; the decisions of transactions that create a table are in its folder.
     */
    public static String path(String transactionId) {
        return FOLDER
                + TransactionIds.createdTable(transactionId).map(Decision::tableFolder).orElse("")
                + transactionId;
    }

    /** The folder of the decisions of transactions that create a table. */
    static String folder(TableId table) {
        return FOLDER + tableFolder(Long.toHexString(table.value()));
    }

    private static String tableFolder(String hexTableId) {
        return "table-" + hexTableId + "/";
    }

    public byte[] encode() {
        String text =
                "stele-decision 1\ntransaction "
                        + transactionId
                        + "\noutcome "
                        + (committed ? "committed" : "aborted")
                        + "\nlsn "
                        + lsn
                        + "\npublish "
                        + publish.map(TableId::toString).orElse("-")
                        + "\ndecided-by "
                        + epoch
                        + "\n";
        return (text + "crc32c " + checksum(text) + "\n").getBytes(UTF_8);
    }

    /** Decodes a decision; throws CORRUPT_DATA naming the path when these bytes are none. */
    static Decision decode(String path, byte[] bytes) {
        String text = new String(bytes, UTF_8);
        String[] lines = text.split("\n", -1);
        int checksumStart = text.lastIndexOf("crc32c ");
        if (!lines[0].equals("stele-decision 1")) {
            throw corrupt(path, 0, "a decision of version 1", lines[0]);
        }
        if (lines.length != LINES + 1 || checksumStart < 0) {
            throw corrupt(path, 0, LINES + " lines, the last one a checksum", lines.length - 1);
        }
        String stored = value(path, lines, 6, "crc32c");
        String computed = checksum(text.substring(0, checksumStart));
        if (!stored.equals(computed)) {
            throw corrupt(path, checksumStart, "checksum " + stored, computed);
        }
        String transactionId = value(path, lines, 1, "transaction");
        if (!path.equals(path(transactionId))) {
            throw corrupt(
                    path, offset(lines, 1), "the decision of that transaction", transactionId);
        }
        String outcome = value(path, lines, 2, "outcome");
        if (!outcome.equals("committed") && !outcome.equals("aborted")) {
            throw corrupt(path, offset(lines, 2), "outcome committed or aborted", outcome);
        }
        String publish = value(path, lines, 4, "publish");
        return new Decision(
                transactionId,
                outcome.equals("committed"),
                new Lsn(number(path, lines, 3, "lsn")),
                publish.equals("-")
                        ? Optional.empty()
                        : Optional.of(new TableId(number(path, lines, 4, "publish"))),
                number(path, lines, 5, "decided-by"));
    }

    private static long number(String path, String[] lines, int line, String name) {
        String value = value(path, lines, line, name);
        try {
            long number = Long.parseLong(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            throw corrupt(path, offset(lines, line), name + " with a number", value);
        }
        throw corrupt(path, offset(lines, line), name + " >= 0", value);
    }

    private static String value(String path, String[] lines, int line, String name) {
        if (!lines[line].startsWith(name + " ")) {
            throw corrupt(path, offset(lines, line), "a line '" + name + "'", lines[line]);
        }
        return lines[line].substring(name.length() + 1);
    }

    /** The start of a line, in characters, which are bytes if the object is not damaged. */
    private static int offset(String[] lines, int line) {
        int offset = 0;
        for (int before = 0; before < line; before++) {
            offset += lines[before].length() + 1;
        }
        return offset;
    }

    /** CRC32C in eight hexadecimal digits, as texts of outcomes have it in their last line. */
    static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(UTF_8));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }

    private static SteleException corrupt(String path, int offset, String expected, Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s, found %s in %s at offset %d"
                        .formatted(expected, found, path, offset));
    }
}
