package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * One run of servers as {@code bin/stele} laid it out: ports, folders and launchers, from the file
 * that the system property {@code stele.run} names, and the secret from the environment.
 */
public final class Run {
    private static final String PROPERTY = "stele.run";
    private static final String SECRET = "STELE_SHARED_SECRET";

    private final Path file;
    private final Properties properties;

    private Run(Path file, Properties properties) {
        this.file = requireNonNull(file, "file is null");
        this.properties = requireNonNull(properties, "properties is null");
    }

    public static Run load() throws IOException {
        String file = System.getProperty(PROPERTY);
        if (file == null) {
            throw new IllegalStateException(
                    "Expected -D%s=FILE, found none; this program is started by bin/stele"
                            .formatted(PROPERTY));
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        return new Run(Path.of(file), properties);
    }

    public String value(String key) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new IllegalStateException(
                    "Expected the key %s in %s, found none".formatted(key, file));
        }
        return value;
    }

    public Path path(String key) {
        return Path.of(value(key));
    }

    public URI uri(String key) {
        return URI.create(value(key));
    }

    public int port(String key) {
        return Integer.parseInt(value(key));
    }

    public int count(String key) {
        return Integer.parseInt(value(key));
    }

    public String secret() {
        String secret = System.getenv(SECRET);
        if (secret == null) {
            throw new IllegalStateException(
                    "Expected the environment variable %s, found none".formatted(SECRET));
        }
        return secret;
    }
}
