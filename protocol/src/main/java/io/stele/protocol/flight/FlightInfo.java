package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Flight's description of a data set: its schema, and the endpoints of its parts.
 *
 * @param schema encapsulated IPC message, see {@link IpcMessages}
 * @param totalRecords number of rows; -1 if unknown
 * @param totalBytes size in bytes; -1 if unknown
 * @param ordered whether the parts are in order
 */
public record FlightInfo(
        byte[] schema,
        Optional<FlightDescriptor> descriptor,
        List<FlightEndpoint> endpoints,
        long totalRecords,
        long totalBytes,
        boolean ordered,
        byte[] appMetadata) {
    public FlightInfo {
        requireNonNull(schema, "schema is null");
        requireNonNull(descriptor, "descriptor is null");
        endpoints = List.copyOf(endpoints);
        requireNonNull(appMetadata, "appMetadata is null");
    }

    byte[] encode() {
        ProtoWriter writer = new ProtoWriter().bytes(1, schema);
        descriptor.ifPresent(value -> writer.message(2, value.encode()));
        for (FlightEndpoint endpoint : endpoints) {
            writer.message(3, endpoint.encode());
        }
        return writer.integer(4, totalRecords)
                .integer(5, totalBytes)
                .integer(6, ordered ? 1 : 0)
                .bytes(7, appMetadata)
                .toByteArray();
    }

    static FlightInfo decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] schema = new byte[0];
        Optional<FlightDescriptor> descriptor = Optional.empty();
        List<FlightEndpoint> endpoints = new ArrayList<>();
        long totalRecords = 0;
        long totalBytes = 0;
        boolean ordered = false;
        byte[] appMetadata = new byte[0];
        for (int field = reader.next(); field != 0; field = reader.next()) {
            switch (field) {
                case 1 -> schema = reader.byteArray();
                case 2 -> descriptor = Optional.of(FlightDescriptor.decode(reader.bytes()));
                case 3 -> endpoints.add(FlightEndpoint.decode(reader.bytes()));
                case 4 -> totalRecords = reader.integer();
                case 5 -> totalBytes = reader.integer();
                case 6 -> ordered = reader.integer() != 0;
                case 7 -> appMetadata = reader.byteArray();
                default -> {}
            }
        }
        return new FlightInfo(
                schema, descriptor, endpoints, totalRecords, totalBytes, ordered, appMetadata);
    }
}
