package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.orc.StreamId;
import io.trino.orc.checkpoint.Checkpoints;
import io.trino.orc.checkpoint.InvalidCheckpointException;
import io.trino.orc.checkpoint.StreamCheckpoint;
import io.trino.orc.metadata.OrcColumnId;
import io.trino.orc.metadata.RowGroupIndex;
import io.trino.orc.metadata.Stream;
import io.trino.orc.metadata.StripeInformation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One ORC stripe as a scan reads it: its decoded metadata, and the byte ranges of wanted columns in
 * wanted row groups. Immutable once built.
 *
 * <p>Ranges may be too short for rows at their end, which are then read by one more request.
 */
final class OrcStripe {
    /** A run of ORC's encodings of numbers: 512 values of 8 bytes, and a header. */
    private static final int MAX_RUN_BYTES = 4100;

    private static final int BLOCK_HEADER_BYTES = 3;

    private final StripeInformation information;
    private final OrcStripeFooter footer;
    private final Map<StreamId, OrcRowIndex> rowIndexes;
    private final List<ReadAhead.Range> ranges;

    private OrcStripe(
            StripeInformation information,
            OrcStripeFooter footer,
            Map<StreamId, OrcRowIndex> rowIndexes,
            List<ReadAhead.Range> ranges) {
        this.information = requireNonNull(information, "information is null");
        this.footer = requireNonNull(footer, "footer is null");
        this.rowIndexes = Map.copyOf(rowIndexes);
        this.ranges = List.copyOf(ranges);
    }

    /**
     * @param columns whose streams are read
     * @param selected the wanted row groups
     * @param groupCount all row groups
     */
    static OrcStripe of(
            OrcFooter file,
            StripeInformation information,
            OrcStripeFooter footer,
            Set<OrcColumnId> columns,
            Map<StreamId, OrcRowIndex> rowIndexes,
            BitSet selected,
            int groupCount) {
        boolean isWhole = selected.cardinality() == groupCount;
        Positions positions =
                new Positions(file, footer, columns, rowIndexes, selected, groupCount);
        List<ReadAhead.Range> ranges = new ArrayList<>();
        long offset = information.getOffset();
        for (Stream stream : footer.footer().getStreams()) {
            if (columns.contains(stream.getColumnId())
                    && !isIndex(stream)
                    && stream.getLength() > 0
                    && !selected.isEmpty()) {
                StreamId id = new StreamId(stream);
                if (isWhole || !positions.add(id, offset, stream.getLength(), ranges)) {
                    ranges.add(new ReadAhead.Range(offset, stream.getLength()));
                }
            }
            offset += stream.getLength();
        }
        return new OrcStripe(information, footer, rowIndexes, ranges);
    }

    static boolean isIndex(Stream stream) {
        return switch (stream.getStreamKind()) {
            case ROW_INDEX, DICTIONARY_COUNT, BLOOM_FILTER, BLOOM_FILTER_UTF8 -> true;
            case PRESENT, DATA, LENGTH, DICTIONARY_DATA, SECONDARY -> false;
        };
    }

    StripeInformation information() {
        return information;
    }

    OrcStripeFooter footer() {
        return footer;
    }

    OrcRowIndex rowIndex(StreamId stream) {
        return requireNonNull(rowIndexes.get(stream), "a column has no row index");
    }

    /** The byte ranges of the file to read, in the order of streams. */
    List<ReadAhead.Range> ranges() {
        return ranges;
    }

    /** The positions of row groups in streams. */
    private static final class Positions {
        private final OrcFooter file;
        private final OrcStripeFooter footer;
        private final Set<OrcColumnId> columns;
        private final Map<StreamId, Stream> streams = new HashMap<>();
        private final Map<StreamId, List<RowGroupIndex>> indexes = new HashMap<>();
        private final BitSet selected;
        private final int groupCount;
        private final Map<Integer, Map<StreamId, StreamCheckpoint>> known = new HashMap<>();

        Positions(
                OrcFooter file,
                OrcStripeFooter footer,
                Set<OrcColumnId> columns,
                Map<StreamId, OrcRowIndex> rowIndexes,
                BitSet selected,
                int groupCount) {
            this.file = file;
            this.footer = footer;
            this.columns = columns;
            this.selected = selected;
            this.groupCount = groupCount;
            rowIndexes.forEach((id, index) -> indexes.put(id, index.groups()));
            for (Stream stream : footer.footer().getStreams()) {
                if (columns.contains(stream.getColumnId())) {
                    streams.put(new StreamId(stream), stream);
                }
            }
        }

        /**
         * Adds the ranges of the selected row groups; returns false if the stream has no positions.
         */
        boolean add(StreamId stream, long offset, int length, List<ReadAhead.Range> ranges) {
            for (int first = selected.nextSetBit(0); first >= 0; ) {
                int end = selected.nextClearBit(first);
                OptionalLong from = start(stream, first);
                OptionalLong to = end == groupCount ? OptionalLong.of(length) : end(stream, end);
                if (from.isEmpty() || to.isEmpty()) {
                    return false;
                }
                long last = Math.min(length, to.getAsLong());
                if (last > from.getAsLong()) {
                    ranges.add(
                            new ReadAhead.Range(
                                    offset + from.getAsLong(), last - from.getAsLong()));
                }
                first = selected.nextSetBit(end);
            }
            return true;
        }

        private OptionalLong start(StreamId stream, int group) {
            StreamCheckpoint checkpoint = checkpoints(group).get(stream);
            if (checkpoint == null || StreamCheckpoints.block(checkpoint).isEmpty()) {
                return OptionalLong.empty();
            }
            return file.isCompressed()
                    ? StreamCheckpoints.block(checkpoint)
                    : OptionalLong.of(StreamCheckpoints.inBlock(checkpoint));
        }

        /** The end in the stream, exclusive, of the bytes that the rows before a group need. */
        private OptionalLong end(StreamId stream, int group) {
            OptionalLong start = start(stream, group);
            if (start.isEmpty()) {
                return start;
            }
            if (!file.isCompressed()) {
                return OptionalLong.of(start.getAsLong() + MAX_RUN_BYTES);
            }
            int blockBytes = BLOCK_HEADER_BYTES + file.reader().getBufferSize();
            // The block in which the group starts ends where the next known block starts, or before
            long end = Math.min(start.getAsLong() + blockBytes, nextBlock(stream, group, start));
            long inBlock =
                    StreamCheckpoints.inBlock(requireNonNull(checkpoints(group).get(stream)));
            boolean mayReachNext = inBlock + MAX_RUN_BYTES > file.reader().getBufferSize();
            return OptionalLong.of(mayReachNext ? end + blockBytes : end);
        }

        private long nextBlock(StreamId stream, int group, OptionalLong start) {
            for (int next = group + 1; next < groupCount; next++) {
                OptionalLong block = start(stream, next);
                if (block.isPresent() && block.getAsLong() > start.getAsLong()) {
                    return block.getAsLong();
                }
            }
            return Long.MAX_VALUE;
        }

        private Map<StreamId, StreamCheckpoint> checkpoints(int group) {
            return known.computeIfAbsent(
                    group,
                    number -> {
                        try {
                            return Checkpoints.getStreamCheckpoints(
                                    columns,
                                    file.reader().getFooter().getTypes(),
                                    file.isCompressed(),
                                    number,
                                    footer.footer().getColumnEncodings(),
                                    streams,
                                    indexes);
                        } catch (InvalidCheckpointException _) {
                            return Map.of(); // Trino-orc then reads streams whole
                        }
                    });
        }
    }
}
