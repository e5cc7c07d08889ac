package io.stele.client.flight;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.flight.FlightData;
import java.util.List;
import java.util.Optional;

/** The record batches of a stream. Confined to one thread, which waits for them. */
public final class BatchStream implements AutoCloseable {
    private final FlightStream stream;
    private final ArrowBatchDecoder decoder;

    /**
     * The batches of a stream of which nothing was taken; waits for its schema.
     *
     * @throws SteleException why the stream failed, which is closed then
     */
    public BatchStream(FlightStream stream) {
        this.stream = requireNonNull(stream, "stream is null");
        boolean isOpen = false;
        try {
            FlightData schema = stream.next().orElseThrow(BatchStream::noSchema);
            decoder = ArrowBatchDecoder.forSchema(schema.dataHeader());
            isOpen = true;
        } finally {
            if (!isOpen) {
                stream.close();
            }
        }
    }

    private static SteleException noSchema() {
        return new SteleException(
                ErrorCode.CORRUPT_DATA, "Expected a schema in a stream of batches, found its end");
    }

    /** The columns of the batches. */
    public List<ArrowField> fields() {
        return decoder.fields();
    }

    /** The position of a column among {@link #fields}. */
    public int indexOf(int columnId) {
        for (int i = 0; i < fields().size(); i++) {
            if (fields().get(i).id() == columnId) {
                return i;
            }
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a column of id %d in a stream of batches, found none"
                        .formatted(columnId));
    }

    /** The next batch; empty at the end. */
    public Optional<ArrowBatch> next() {
        return stream.next().map(data -> decoder.decode(data.dataHeader(), data.bodyBuffer()));
    }

    @Override
    public void close() {
        stream.close();
    }
}
