package io.stele.sidecar.postgresql;

import static com.google.common.base.Preconditions.checkArgument;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A source of conversations that are parts of recorded ones with seeded changes: of the order and
 * the types of messages, of the bytes in them, and of their framing. Confined to one thread.
 */
final class ConversationMutator {
    private static final int MAX_MESSAGES = 12;
    private static final int MAX_CHANGES = 4;
    private static final int MAX_RANGE = 24;
    private static final String TYPES = "QPBDECSHFdcfp";

    /** Lengths, counts and values at which a decoder may go wrong. */
    private static final int[] NUMBERS = {
        -2, -1, 0, 1, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 1 << 30, Integer.MAX_VALUE
    };

    /** Pieces of statements and values. */
    private static final List<String> TEXTS =
            List.of(
                    """
                    ' " $1 $2 $99999 ( ) (((((((( , ; :: ::int ::date ::numeric ::bytea ::json ::text
                    ::timestamptz NULL '' -- /* $$ E'\\ \\ % { } {{1}} [1] 1e400 -0 1e-400 NaN 0x1
                    Infinity 9223372036854775808 -9223372036854775808 -2147483648 * /0 % - + ||
                    '9999999-12-31' '0000-00-00' '24:00:00' '-infinity' '\\x0' NOT OR AND IN() IS
                    BETWEEN COLLATE"C" LIMIT-1 OFFSET count(*) now() DISTINCT EXISTS CASE ARRAY[]
                    ~'(a*)*b' repeat('x',1000000000) generate_series(1,1000000000)
                    \0 \u00e9 \u00ff\u00fe \\.
                    """
                            .split("\\s+"));

    private final List<List<ClientMessage>> conversations;
    private final RandomGenerator random;

    ConversationMutator(List<List<ClientMessage>> conversations, RandomGenerator random) {
        checkArgument(!conversations.isEmpty(), "conversations is empty");
        this.conversations = List.copyOf(conversations);
        this.random = requireNonNull(random, "random is null");
    }

    /**
     * A changed conversation.
     *
     * @param isFramed whether the length of every message is right, so that the server reads all
     */
    record Mutated(List<ClientMessage> messages, byte[] bytes, boolean isFramed) {
        @Override
        public String toString() {
            return (isFramed ? "" : "wrongly framed ") + messages;
        }
    }

    /**
     * The next one.
     *
     * @param last messages that follow unchanged
     */
    Mutated next(List<ClientMessage> last) throws IOException {
        List<ClientMessage> messages = new ArrayList<>(part());
        int changes = 1 + random.nextInt(MAX_CHANGES);
        for (int i = 0; i < changes; i++) {
            change(messages);
        }
        messages.addAll(last);
        boolean isFramed = random.nextInt(4) > 0;
        byte[] bytes = encode(messages);
        return new Mutated(messages, isFramed ? bytes : bytes(bytes), isFramed);
    }

    private List<ClientMessage> part() {
        List<ClientMessage> all = any(conversations);
        int from = random.nextInt(all.size());
        return all.subList(from, Math.min(all.size(), from + 1 + random.nextInt(MAX_MESSAGES)));
    }

    private static byte[] encode(List<ClientMessage> messages) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (ClientMessage message : messages) {
            message.writeTo(out);
        }
        return bytes.toByteArray();
    }

    private void change(List<ClientMessage> messages) {
        int at = random.nextInt(messages.size());
        ClientMessage message = messages.get(at);
        switch (random.nextInt(10)) {
            case 0 -> messages.add(random.nextInt(messages.size() + 1), message);
            case 1 -> messages.add(at, any(any(conversations)));
            case 2 -> messages.set(at, any(messages));
            case 3 ->
                    messages.set(
                            at,
                            new ClientMessage(
                                    TYPES.charAt(random.nextInt(TYPES.length())),
                                    message.payload()));
            default ->
                    messages.set(at, new ClientMessage(message.type(), bytes(message.payload())));
        }
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Other bytes, which may be more or fewer. */
    byte[] bytes(byte[] bytes) {
        if (bytes.length == 0) {
            return new byte[random.nextInt(8)];
        }
        int at = random.nextInt(bytes.length);
        int end = Math.min(bytes.length, at + 1 + random.nextInt(MAX_RANGE));
        byte[] changed = bytes.clone();
        return switch (random.nextInt(10)) {
            case 0 -> {
                changed[at] ^= (byte) (1 << random.nextInt(8));
                yield changed;
            }
            case 1 -> {
                changed[at] = (byte) random.nextInt();
                yield changed;
            }
            case 2 -> withNumber(changed, at);
            case 3 -> Arrays.copyOf(bytes, at);
            case 4 -> replaced(bytes, at, end, new byte[0]);
            case 5 -> replaced(bytes, at, at, Arrays.copyOfRange(bytes, at, end));
            case 6 -> replaced(bytes, at, end, piece());
            case 7 -> replaced(bytes, at, at, text());
            default -> replaced(bytes, at, end, text());
        };
    }

    private byte[] withNumber(byte[] bytes, int at) {
        int number = NUMBERS[random.nextInt(NUMBERS.length)];
        if (at + 4 <= bytes.length && random.nextBoolean()) {
            ByteBuffer.wrap(bytes).putInt(at, number);
        } else if (at + 2 <= bytes.length) {
            ByteBuffer.wrap(bytes).putShort(at, (short) number);
        }
        return bytes;
    }

    /** Of any message. */
    private byte[] piece() {
        byte[] from = any(any(conversations)).payload();
        int start = random.nextInt(from.length + 1);
        return Arrays.copyOfRange(
                from, start, Math.min(from.length, start + random.nextInt(MAX_RANGE)));
    }

    private byte[] text() {
        String space = random.nextBoolean() ? " " : "";
        return (space + any(TEXTS) + space).getBytes(ISO_8859_1);
    }

    private static byte[] replaced(byte[] bytes, int from, int to, byte[] with) {
        byte[] replaced = Arrays.copyOf(bytes, from + with.length + bytes.length - to);
        System.arraycopy(with, 0, replaced, from, with.length);
        System.arraycopy(bytes, to, replaced, from + with.length, bytes.length - to);
        return replaced;
    }
}
