package io.stele.engine.transaction;

import io.stele.protocol.TableId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ids of transactions, in hexadecimal digits: {@code <epoch>-<number>}, and {@code
 * <epoch>-<number>-<table id>} for one that creates a table, so that a start finds its decision by
 * the table.
 */
public final class TransactionIds {
    private static final Pattern ID =
            Pattern.compile("(?<epoch>[0-9a-f]{1,16})-[0-9a-f]{1,16}(-(?<table>[0-9a-f]{1,16}))?");

    private TransactionIds() {}

    public static String of(long epoch, long number, Optional<TableId> createdTable) {
        return Long.toHexString(epoch)
                + "-"
                + Long.toHexString(number)
                + createdTable.map(table -> "-" + Long.toHexString(table.value())).orElse("");
    }

    static boolean isValid(String id) {
        return ID.matcher(id).matches();
    }

    /** The epoch of the engine in which it began; of a valid id. */
    static long epoch(String id) {
        return Long.parseUnsignedLong(id.substring(0, id.indexOf('-')), 16);
    }

    /** Whether it is of an engine of an earlier epoch. */
    static boolean isBefore(String id, long epoch) {
        Matcher parts = ID.matcher(id);
        return parts.matches() && Long.parseUnsignedLong(parts.group("epoch"), 16) < epoch;
    }

    /** The id of the table that it creates, as it is written; empty: it creates none. */
    static Optional<String> createdTable(String id) {
        Matcher parts = ID.matcher(id);
        return parts.matches() ? Optional.ofNullable(parts.group("table")) : Optional.empty();
    }
}
