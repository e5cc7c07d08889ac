package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The sidecar's answer to HELLO: {@code version 4 | node text | max frame bytes 4 | max unanswered
 * requests 4}. What follows is left to later versions and ignored.
 *
 * @param version the version both will speak, at most the client's
 * @param maxFrameBytes greatest frame the sidecar reads
 * @param maxRequests how many requests the sidecar takes before it answers; beyond it stops reading
 */
public record HelloReply(int version, String nodeId, int maxFrameBytes, int maxRequests) {
    public HelloReply {
        requireNonNull(nodeId, "nodeId is null");
    }

    public byte[] encode() {
        return new PayloadWriter(64)
                .putInt(version)
                .putText("node", nodeId)
                .putInt(maxFrameBytes)
                .putInt(maxRequests)
                .toByteArray();
    }

    public static HelloReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.HELLO_REPLY, frame);
        return new HelloReply(
                reader.getInt("version"),
                reader.getText("node"),
                reader.getInt("max frame bytes"),
                reader.getInt("max requests"));
    }
}
