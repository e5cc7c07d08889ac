package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The payload of the sidecar's reply to HELLO: {@code version 4 | node text | max frame bytes 4 |
 * max unanswered requests 4 | max unanswered batches 4}. Further bytes are reserved for later
 * versions and ignored.
 *
 * @param version the protocol version of the connection, at most the client's
 * @param maxFrameBytes the largest frame that the sidecar reads
 * @param maxRequests the most unanswered requests of a connection; with more, the sidecar stops
 *     reading
 * @param maxUnansweredBatches the most unanswered batches of a writer to one shard, which remembers
 *     the outcomes of as many; {@link #OLD_UNANSWERED_BATCHES} from a sidecar that does not send it
 */
public record HelloReply(
        int version, String nodeId, int maxFrameBytes, int maxRequests, int maxUnansweredBatches) {
    /** The limit of older sidecars, which do not send it. */
    public static final int OLD_UNANSWERED_BATCHES = 256;

    public HelloReply {
        requireNonNull(nodeId, "nodeId is null");
    }

    public byte[] encode() {
        return new PayloadWriter(64)
                .putInt(version)
                .putText("node", nodeId)
                .putInt(maxFrameBytes)
                .putInt(maxRequests)
                .putInt(maxUnansweredBatches)
                .toByteArray();
    }

    public static HelloReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.HELLO_REPLY, frame);
        return new HelloReply(
                reader.getInt("version"),
                reader.getText("node"),
                reader.getInt("max frame bytes"),
                reader.getInt("max requests"),
                reader.hasMore()
                        ? reader.getInt("max unanswered batches")
                        : OLD_UNANSWERED_BATCHES);
    }
}
