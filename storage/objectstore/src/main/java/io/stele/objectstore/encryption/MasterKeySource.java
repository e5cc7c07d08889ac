package io.stele.objectstore.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A reader of the master keys, at the start of a process, from the configured place: the
 * configuration itself, a file or a command. In a file and in the output of a command, each key is
 * a line; empty lines and lines that begin with {@code #} are skipped.
 */
final class MasterKeySource {
    private static final int MAX_BYTES = 64 << 10;

    private static final long STEP_MILLIS = 20;

    /** 30 s: it may have to call a service. */
    private static final int COMMAND_STEPS = 1_500;

    private MasterKeySource() {}

    /** The keys; empty if none are configured. */
    static Optional<MasterKeys> read(EncryptionConfig config) throws IOException {
        if (config.getMasterKeys().isPresent()) {
            List<String> keys = Arrays.asList(config.getMasterKeys().get().split(",", -1));
            return Optional.of(parse(keys, EncryptionConfig.KEYS));
        }
        if (config.getMasterKeyFile().isPresent()) {
            return Optional.of(readFile(config.getMasterKeyFile().get()));
        }
        if (config.getMasterKeyCommand().isPresent()) {
            return Optional.of(run(config.getMasterKeyCommand().get()));
        }
        return Optional.empty();
    }

    private static MasterKeys readFile(String name) throws IOException {
        byte[] content;
        try (InputStream file = Files.newInputStream(Path.of(name))) {
            content = file.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw failed(
                    EncryptionConfig.KEY_FILE, "a file of keys that can be read", e.toString(), e);
        }
        return parseLines(content, EncryptionConfig.KEY_FILE + "=" + name);
    }

    private static MasterKeys run(String command) throws IOException {
        // Arguments may be secrets
        String where = EncryptionConfig.KEY_COMMAND + "=" + command.strip().split(" +")[0] + " ...";
        Process process;
        try {
            process =
                    new ProcessBuilder(command.strip().split(" +"))
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
        } catch (IOException e) {
            throw failed(where, "a command that can be run", String.valueOf(e.getMessage()), e);
        }
        try {
            return parseLines(output(process, where), where);
        } finally {
            process.destroyForcibly();
        }
    }

    private static byte[] output(Process process, String where) throws IOException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        InputStream stream = process.getInputStream();
        boolean ended = false;
        try {
            for (int step = 0; step < COMMAND_STEPS && !ended; step++) {
                ended = process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS);
                output.writeBytes(stream.readNBytes(stream.available()));
                if (output.size() > MAX_BYTES) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(where, "an output", "an interruption", e);
        }
        if (!ended && output.size() <= MAX_BYTES) {
            throw new IOException(
                    "%s: expected an end within %d s, found none"
                            .formatted(where, COMMAND_STEPS * STEP_MILLIS / 1000));
        }
        if (ended && process.exitValue() != 0) {
            throw new IOException(
                    "%s: expected exit code 0, found %d".formatted(where, process.exitValue()));
        }
        return output.toByteArray();
    }

    private static MasterKeys parseLines(byte[] content, String where) throws IOException {
        if (content.length > MAX_BYTES) {
            throw new IOException(
                    "%s: expected at most %d bytes of keys, found more"
                            .formatted(where, MAX_BYTES));
        }
        List<String> lines =
                new String(content, UTF_8)
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .toList();
        return parse(lines, where);
    }

    private static MasterKeys parse(Collection<String> keys, String where) throws IOException {
        try {
            return MasterKeys.parse(keys, where);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static IOException failed(String where, String expected, String found, Exception e) {
        return new IOException("%s: expected %s, found %s".formatted(where, expected, found), e);
    }
}
