package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.TableSchema;

/**
 * A client's cached description of a table, with the sidecar that returned it, whose host replaces
 * empty hosts in addresses.
 */
record CachedTable(TableDescription description, Endpoint askedAt) {
    CachedTable {
        requireNonNull(description, "description is null");
        requireNonNull(askedAt, "askedAt is null");
    }

    TableSchema schema() {
        return description.schema();
    }

    /** The address of the shard's owner, for the framed protocol. */
    Endpoint owner(int shard) {
        NodeAddress node = description.routing().owner(shard);
        return new Endpoint(
                node.hostOr(askedAt.host()),
                node.clientPort() == 0 ? askedAt.port() : node.clientPort());
    }

    /** The Flight address of a sidecar that serves the table. */
    Endpoint flight() {
        return flight(description.routing().nodes().get(0));
    }

    /** The Flight address of the shard's owner. */
    Endpoint flight(int shard) {
        return flight(description.routing().owner(shard));
    }

    private Endpoint flight(NodeAddress node) {
        return new Endpoint(node.hostOr(askedAt.host()), node.flightPort());
    }
}
