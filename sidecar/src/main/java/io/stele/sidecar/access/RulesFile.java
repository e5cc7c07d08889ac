package io.stele.sidecar.access;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.airlift.log.Logger;
import io.stele.protocol.SteleException;
import io.stele.sidecar.settings.JsonSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A file of rules, which is read again when it has changed. The caller that finds its period over
 * reads it; the others go on with the rules that are there. A file that is wrong is logged as an
 * error once, and leaves the rules as they were. Thread-safe.
 */
final class RulesFile {
    private static final Logger log = Logger.get(RulesFile.class);
    private static final String WHAT = "access control rules";

    private final Path file;
    private final String catalog;
    private final long periodNanos;
    private final LongSupplier nanoTime;
    private final AtomicLong lookedNanos;
    private volatile Version version;

    @GuardedBy("this")
    private byte[] seen;

    @GuardedBy("this")
    private String failure = "";

    /** The rules, and how many there were before them. */
    record Version(long number, AccessRules rules) {}

    /**
     * @param catalog the name that Trino has for the tables
     * @throws SteleException INVALID_ARGUMENT: what is wrong where in the file
     */
    RulesFile(Path file, String catalog, Duration period, LongSupplier nanoTime) {
        this.file = requireNonNull(file, "file is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.periodNanos = period.toNanos();
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.lookedNanos = new AtomicLong(nanoTime.getAsLong());
        this.seen = JsonSettings.content(file, WHAT);
        this.version = new Version(1, AccessRulesReader.read(file, seen, catalog));
    }

    Version current() {
        long now = nanoTime.getAsLong();
        long looked = lookedNanos.get();
        if (now - looked >= periodNanos && lookedNanos.compareAndSet(looked, now)) {
            look();
        }
        return version;
    }

    private synchronized void look() {
        try {
            byte[] content = JsonSettings.content(file, WHAT);
            if (!Arrays.equals(content, seen)) {
                seen = content;
                version =
                        new Version(
                                version.number() + 1,
                                AccessRulesReader.read(file, content, catalog));
                log.info("Took new access control rules from %s", file);
            }
            failure = "";
        } catch (SteleException wrong) {
            String message = String.valueOf(wrong.getMessage());
            if (!message.equals(failure)) {
                failure = message;
                log.error("Going on with the access control rules as they were: %s", message);
            }
        }
    }
}
