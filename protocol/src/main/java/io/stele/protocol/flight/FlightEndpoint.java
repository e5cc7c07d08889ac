package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A Flight endpoint: the ticket of one part of a data set, and the locations that serve it.
 *
 * @param locations URIs such as {@code grpc+tcp://host:port}; empty: the service that returned the
 *     endpoint
 */
public record FlightEndpoint(Ticket ticket, List<String> locations) {
    public FlightEndpoint {
        requireNonNull(ticket, "ticket is null");
        locations = List.copyOf(locations);
    }

    byte[] encode() {
        ProtoWriter writer = new ProtoWriter().message(1, ticket.encode());
        for (String uri : locations) {
            byte[] location =
                    new ProtoWriter().bytes(1, uri.getBytes(StandardCharsets.UTF_8)).toByteArray();
            writer.message(2, location);
        }
        return writer.toByteArray();
    }

    static FlightEndpoint decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        Ticket ticket = new Ticket(new byte[0]);
        List<String> locations = new ArrayList<>();
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 1) {
                ticket = Ticket.decode(reader.bytes());
            } else if (field == 2) {
                locations.add(location(reader.bytes()));
            }
        }
        return new FlightEndpoint(ticket, locations);
    }

    private static String location(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        String uri = "";
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 1) {
                uri = reader.text();
            }
        }
        return uri;
    }
}
