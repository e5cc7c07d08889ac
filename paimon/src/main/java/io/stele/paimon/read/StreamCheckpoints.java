package io.stele.paimon.read;

import io.trino.orc.checkpoint.BooleanStreamCheckpoint;
import io.trino.orc.checkpoint.ByteArrayStreamCheckpoint;
import io.trino.orc.checkpoint.ByteStreamCheckpoint;
import io.trino.orc.checkpoint.DecimalStreamCheckpoint;
import io.trino.orc.checkpoint.DoubleStreamCheckpoint;
import io.trino.orc.checkpoint.FloatStreamCheckpoint;
import io.trino.orc.checkpoint.InputStreamCheckpoint;
import io.trino.orc.checkpoint.LongStreamV1Checkpoint;
import io.trino.orc.checkpoint.LongStreamV2Checkpoint;
import io.trino.orc.checkpoint.StreamCheckpoint;
import java.util.OptionalLong;

/** The decoding of the stream positions in ORC's row indexes to byte offsets. Stateless. */
final class StreamCheckpoints {
    private StreamCheckpoints() {}

    /** The encoded offsets of a position; empty: the kind of position is not known. */
    private static OptionalLong place(StreamCheckpoint checkpoint) {
        return switch (checkpoint) {
            case BooleanStreamCheckpoint bits ->
                    OptionalLong.of(bits.getByteStreamCheckpoint().getInputStreamCheckpoint());
            case ByteStreamCheckpoint bytes -> OptionalLong.of(bytes.getInputStreamCheckpoint());
            case ByteArrayStreamCheckpoint bytes ->
                    OptionalLong.of(bytes.getInputStreamCheckpoint());
            case DecimalStreamCheckpoint number ->
                    OptionalLong.of(number.getInputStreamCheckpoint());
            case DoubleStreamCheckpoint number ->
                    OptionalLong.of(number.getInputStreamCheckpoint());
            case FloatStreamCheckpoint number -> OptionalLong.of(number.getInputStreamCheckpoint());
            case LongStreamV1Checkpoint number ->
                    OptionalLong.of(number.getInputStreamCheckpoint());
            case LongStreamV2Checkpoint number ->
                    OptionalLong.of(number.getInputStreamCheckpoint());
            default -> OptionalLong.empty();
        };
    }

    /** The offset in the stream, in bytes, of the position's compressed block; empty: not known. */
    static OptionalLong block(StreamCheckpoint checkpoint) {
        OptionalLong place = place(checkpoint);
        return place.isEmpty()
                ? place
                : OptionalLong.of(
                        InputStreamCheckpoint.decodeCompressedBlockOffset(place.getAsLong()));
    }

    /** The offset in bytes in the decompressed block, or in a stream that is not compressed. */
    static long inBlock(StreamCheckpoint checkpoint) {
        return InputStreamCheckpoint.decodeDecompressedOffset(place(checkpoint).orElseThrow());
    }
}
