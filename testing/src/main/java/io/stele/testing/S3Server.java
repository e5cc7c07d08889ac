package io.stele.testing;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A {@link VersityGateway} for the tests of one class, with a folder of its own; where there is
 * none, they are reported as skipped with what to install. A static field with
 * {@code @RegisterExtension}.
 */
public final class S3Server implements BeforeAllCallback, AfterAllCallback {
    private @Nullable Path directory;
    private @Nullable VersityGateway gateway;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Path created = Files.createTempDirectory("stele-s3-");
        directory = created;
        try {
            gateway = VersityGateway.start(created.resolve("objects"));
        } catch (VersityGateway.MissingException e) {
            Assumptions.abort("Needs an S3 server: " + e.getMessage());
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        VersityGateway started = gateway;
        if (started != null) {
            started.close();
        }
        Path created = directory;
        if (created != null) {
            List<Path> deepestFirst;
            try (Stream<Path> paths = Files.walk(created)) {
                deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
        }
    }

    /** The server; only while tests run. */
    public VersityGateway gateway() {
        return requireNonNull(gateway, "no test runs");
    }

    /** The folder with the objects of the bucket, as files. */
    public Path bucket() {
        return requireNonNull(directory, "no test runs")
                .resolve("objects")
                .resolve(VersityGateway.BUCKET);
    }
}
