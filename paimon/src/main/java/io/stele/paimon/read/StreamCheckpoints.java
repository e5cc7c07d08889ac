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

/** The places in the file that positions of ORC's row indexes mean. Stateless. */
final class StreamCheckpoints {
    private StreamCheckpoints() {}

    /** The place of a position; empty: not known. */
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

    /** The byte of the stream at which its compressed block begins. */
    static OptionalLong block(StreamCheckpoint checkpoint) {
        OptionalLong place = place(checkpoint);
        return place.isEmpty()
                ? place
                : OptionalLong.of(
                        InputStreamCheckpoint.decodeCompressedBlockOffset(place.getAsLong()));
    }

    /** The byte of the decompressed block, or of a stream that is not compressed. */
    static long inBlock(StreamCheckpoint checkpoint) {
        return InputStreamCheckpoint.decodeDecompressedOffset(place(checkpoint).orElseThrow());
    }
}
