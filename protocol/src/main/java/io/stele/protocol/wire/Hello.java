package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The first frame of a client: {@code magic 4 | version 4 | token text | client text}, where a text
 * is a varint length and UTF-8 bytes. What follows the client's name is left to later versions and
 * ignored.
 *
 * @param token a {@code SharedSecretToken}
 * @param client who is calling, for the sidecar's status and logs
 */
public record Hello(int version, String token, String client) {
    public Hello {
        requireNonNull(token, "token is null");
        requireNonNull(client, "client is null");
    }

    public byte[] encode() {
        return new PayloadWriter(256)
                .putInt(WireLimits.MAGIC)
                .putInt(version)
                .putText("token", token)
                .putText("client", client)
                .toByteArray();
    }

    /**
     * Reads a HELLO.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT: another protocol speaks here, or
     *     the frame is malformed
     */
    public static Hello decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.HELLO, frame);
        int magic = reader.getInt("magic");
        if (magic != WireLimits.MAGIC) {
            throw reader.malformed(
                    "magic " + Integer.toHexString(WireLimits.MAGIC) + " (shown as a number)",
                    magic & 0xFFFFFFFFL);
        }
        return new Hello(
                reader.getInt("version"), reader.getText("token"), reader.getText("client"));
    }

    @Override
    public String toString() {
        return "Hello[version=" + version + ", client=" + client + "]"; // never the token
    }
}
