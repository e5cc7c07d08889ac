package io.stele.paimon.merge;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.trino.spi.type.Type;
import java.util.List;

/**
 * The channels of a merge's input pages: wanted columns, keys, sequence fields, sequence numbers
 * and kinds of rows.
 *
 * @param types of the wanted columns, which are the first channels
 * @param lengths for each wanted column, the number of characters to which text is cut, as its type
 *     says; negative: text is not cut
 * @param keys the channels by which rows are sorted
 * @param sequence the channels of the table's sequence fields, the first of them decides first
 * @param isSequenceAscending whether the row with the greatest sequence fields is the newest
 * @param sequenceNumber the channel of the writer's sequence numbers; negative: all rows of a file
 *     have that of the file
 * @param kind the channel of the kinds of rows; negative: no row is a deletion
 */
public record MergeLayout(
        List<Type> types,
        List<Integer> lengths,
        List<Column> keys,
        List<Column> sequence,
        boolean isSequenceAscending,
        int sequenceNumber,
        int kind) {
    /** A channel whose values are compared. */
    public record Column(int channel, Type type) {
        public Column {
            requireNonNull(type, "type is null");
        }
    }

    public MergeLayout {
        types = List.copyOf(requireNonNull(types, "types is null"));
        lengths = List.copyOf(requireNonNull(lengths, "lengths is null"));
        keys = List.copyOf(requireNonNull(keys, "keys is null"));
        sequence = List.copyOf(requireNonNull(sequence, "sequence is null"));
        checkArgument(!keys.isEmpty(), "keys is empty");
        checkArgument(types.size() == lengths.size(), "types and lengths differ");
    }

    /** The number of wanted columns. */
    int columnCount() {
        return types.size();
    }
}
