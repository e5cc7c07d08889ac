package io.stele.protocol.flight;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The protobuf codec of FlightData for gRPC: {@code flight_descriptor = 1, data_header = 2,
 * app_metadata = 3, data_body = 1000}. It does not copy the body: the only copy is out of the
 * network's buffers.
 */
final class FlightDataCodec {
    private static final int DESCRIPTOR = 1;
    private static final int DATA_HEADER = 2;
    private static final int APP_METADATA = 3;
    private static final int DATA_BODY = 1000;

    private FlightDataCodec() {}

    static InputStream encode(FlightData data) {
        ProtoWriter writer = new ProtoWriter();
        data.descriptor().ifPresent(descriptor -> writer.message(DESCRIPTOR, descriptor.encode()));
        writer.bytes(DATA_HEADER, data.dataHeader()).bytes(APP_METADATA, data.appMetadata());
        List<ByteBuffer> parts = new ArrayList<>(data.body().size() + 1);
        if (!data.body().isEmpty()) {
            writer.head(DATA_BODY, Math.toIntExact(data.bodySizeBytes()));
        }
        parts.add(ByteBuffer.wrap(writer.toByteArray()));
        for (ByteBuffer part : data.body()) {
            parts.add(part.duplicate());
        }
        return new BufferStream(parts);
    }

    static FlightData decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        Optional<FlightDescriptor> descriptor = Optional.empty();
        ByteBuffer dataHeader = ByteBuffer.allocate(0);
        ByteBuffer appMetadata = ByteBuffer.allocate(0);
        List<ByteBuffer> body = List.of();
        for (int field = reader.next(); field != 0; field = reader.next()) {
            switch (field) {
                case DESCRIPTOR ->
                        descriptor = Optional.of(FlightDescriptor.decode(reader.bytes()));
                case DATA_HEADER -> dataHeader = reader.bytes();
                case APP_METADATA -> appMetadata = reader.bytes();
                case DATA_BODY -> body = List.of(reader.bytes());
                default -> {}
            }
        }
        return new FlightData(descriptor, dataHeader, appMetadata, body);
    }
}
