package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.TestingSidecar;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** A client of PostgreSQL's protocol that can send anything. */
final class TestingClient implements AutoCloseable {
    private static final int CANCEL_REQUEST = 1234 << 16 | 5678;
    private static final int BUFFER_BYTES = 1 << 10; // little, for thousands of clients

    /** What takes most time of a login. */
    private static final Map<Salting, byte[]> SALTED = new ConcurrentHashMap<>();

    private record Salting(String password, String salt, int iterations) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int processId;
    private int secretKey;

    TestingClient(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(120_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        // One packet for a message: the server would else wait for the rest of it
        out =
                new DataOutputStream(
                        new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
    }

    /** A client that has logged in, by the shared secret. */
    static TestingClient loggedIn(int port) throws IOException {
        TestingClient client = new TestingClient(port);
        assertThat(client.login("ann", TestingSidecar.SECRET).type()).isEqualTo('Z');
        return client;
    }

    /** A message of the server. */
    record Reply(char type, byte[] payload) {
        /** The field of an error or notice. */
        String field(char wanted) {
            int at = 0;
            while (at < payload.length && payload[at] != 0) {
                int end = at + 1;
                while (payload[end] != 0) {
                    end++;
                }
                if (payload[at] == wanted) {
                    return new String(payload, at + 1, end - at - 1, UTF_8);
                }
                at = end + 1;
            }
            return "";
        }
    }

    void setTimeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    void raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    void startup(int code, byte[] rest) throws IOException {
        out.writeInt(8 + rest.length);
        out.writeInt(code);
        out.write(rest);
        out.flush();
    }

    /** Asks to cancel what runs under a key. */
    void requestCancel(int process, int secret) throws IOException {
        startup(CANCEL_REQUEST, ByteBuffer.allocate(8).putInt(process).putInt(secret).array());
    }

    void send(char type, byte[] payload) throws IOException {
        out.writeByte(type);
        out.writeInt(4 + payload.length);
        out.write(payload);
        out.flush();
    }

    void query(String sql) throws IOException {
        send('Q', (sql + "\0").getBytes(UTF_8));
    }

    /** Ends what the client sends, so that the server waits for no more. */
    void endInput() throws IOException {
        socket.shutdownOutput();
    }

    int readByte() throws IOException {
        return in.read();
    }

    /** The next message; type 0 at the end. */
    Reply read() throws IOException {
        int type = in.read();
        if (type < 0) {
            return new Reply((char) 0, new byte[0]);
        }
        byte[] payload = new byte[in.readInt() - 4];
        in.readFully(payload);
        return new Reply((char) type, payload);
    }

    /** Reads up to a message of a type, or the end. */
    Reply readUntil(char wanted) throws IOException {
        Reply reply = read();
        while (reply.type() != wanted && reply.type() != 0) {
            reply = read();
        }
        return reply;
    }

    /** Reads the rest of a login, up to ReadyForQuery, an error or the end. */
    private Reply readGreeting() throws IOException {
        Reply reply = read();
        while (reply.type() != 'Z' && reply.type() != 'E' && reply.type() != 0) {
            if (reply.type() == 'K') {
                processId = ByteBuffer.wrap(reply.payload()).getInt();
                secretKey = ByteBuffer.wrap(reply.payload()).getInt(4);
            }
            reply = read();
        }
        return reply;
    }

    int processId() {
        return processId;
    }

    int secretKey() {
        return secretKey;
    }

    /** Logs in; the answer is ReadyForQuery, or an error. */
    Reply login(String user, String password) throws IOException {
        startup(
                3 << 16,
                ("user\0" + user + "\0database\0stele\0search_path\0shop\0\0").getBytes(UTF_8));
        String first = "n=,r=abcdefgh";
        Reply offer = read();
        if (offer.type() != 'R') {
            return offer;
        }
        ByteArrayOutputStream initial = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(initial);
        data.write("SCRAM-SHA-256\0".getBytes(UTF_8));
        byte[] clientFirst = ("n,," + first).getBytes(UTF_8);
        data.writeInt(clientFirst.length);
        data.write(clientFirst);
        send('p', initial.toByteArray());
        Reply challenge = read();
        if (challenge.type() != 'R') {
            return challenge;
        }
        String serverFirst =
                new String(challenge.payload(), 4, challenge.payload().length - 4, UTF_8);
        send('p', proof(password, first, serverFirst).getBytes(UTF_8));
        Reply last = read();
        return last.type() == 'R' ? readGreeting() : last;
    }

    private static String proof(String password, String first, String serverFirst) {
        Map<Character, String> values = new HashMap<>();
        for (String part : serverFirst.split(",")) {
            values.put(part.charAt(0), part.substring(2));
        }
        try {
            byte[] salted =
                    salted(
                            new Salting(
                                    password, values.get('s'), Integer.parseInt(values.get('i'))));
            byte[] clientKey = hmac(salted, "Client Key");
            String withoutProof = "c=biws,r=" + values.get('r');
            byte[] signature =
                    hmac(
                            MessageDigest.getInstance("SHA-256").digest(clientKey),
                            first + "," + serverFirst + "," + withoutProof);
            for (int i = 0; i < signature.length; i++) {
                signature[i] ^= clientKey[i];
            }
            return withoutProof + ",p=" + Base64.getEncoder().encodeToString(signature);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] salted(Salting salting) throws GeneralSecurityException {
        byte[] known = SALTED.get(salting);
        if (known != null) {
            return known;
        }
        byte[] salted =
                SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                        .generateSecret(
                                new PBEKeySpec(
                                        salting.password().toCharArray(),
                                        Base64.getDecoder().decode(salting.salt()),
                                        salting.iterations(),
                                        256))
                        .getEncoded();
        SALTED.put(salting, salted);
        return salted;
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(UTF_8));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
