package io.stele.sidecar;

import com.google.inject.CreationException;
import com.google.inject.ProvisionException;
import com.google.inject.spi.Message;
import io.airlift.bootstrap.ApplicationConfigurationException;
import java.io.Serial;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a sidecar's start, with a readable message for the terminal. For each cause it
 * states the property, the expected value and the found one.
 */
public final class StartupFailure extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;

    private static final Pattern VIOLATION =
            Pattern.compile(
                    "Invalid configuration property ([a-z0-9.-]+): (.*) \\(for class [^)]*\\)");
    private static final Pattern UNREADABLE =
            Pattern.compile(
                    "Invalid value '(.*)' for type (\\S+) \\(property '([^']+)'\\).*",
                    Pattern.DOTALL);
    private static final Pattern ASSERTION =
            Pattern.compile(
                    "Invalid configuration property with prefix '[^']*': (.*) \\(for class [^)]*\\)");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{[A-Z]+:[^{}]+}");
    private static final Pattern SECRET = Pattern.compile(".*(secret|password|key)$");

    private StartupFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Turns the failure that stopped the start into its readable form. */
    static StartupFailure of(Throwable cause, Map<String, String> properties) {
        if (cause instanceof StartupFailure failure) {
            return failure;
        }
        Set<String> lines = new LinkedHashSet<>();
        collect(cause, properties, lines);
        return new StartupFailure("Stele sidecar cannot start: " + String.join("; ", lines), cause);
    }

    static StartupFailure usage(String message) {
        return new StartupFailure("Stele sidecar cannot start: " + message, null);
    }

    private static void collect(
            Throwable cause, Map<String, String> properties, Set<String> lines) {
        switch (cause) {
            case ApplicationConfigurationException e ->
                    e.getErrors()
                            .forEach(error -> lines.add(describe(error.getMessage(), properties)));
            case CreationException e -> collect(e.getErrorMessages(), properties, lines);
            case ProvisionException e -> collect(e.getErrorMessages(), properties, lines);
            default -> lines.add(rootMessage(cause));
        }
    }

    private static void collect(
            Collection<Message> messages, Map<String, String> properties, Set<String> lines) {
        for (Message message : messages) {
            if (message.getCause() == null) {
                lines.add(describe(message.getMessage(), properties));
            } else {
                collect(message.getCause(), properties, lines);
            }
        }
    }

    private static String describe(String message, Map<String, String> properties) {
        Matcher violation = VIOLATION.matcher(message);
        if (violation.matches()) {
            String property = violation.group(1);
            return property + " " + violation.group(2) + ", found " + found(property, properties);
        }
        Matcher unreadable = UNREADABLE.matcher(message);
        if (unreadable.matches()) {
            String type = unreadable.group(2).replaceAll(".*\\.", "");
            String property = unreadable.group(3);
            return property
                    + " must be a value of type "
                    + type
                    + ", found "
                    + found(property, properties);
        }
        Matcher assertion = ASSERTION.matcher(message);
        return oneLine(assertion.matches() ? assertion.group(1) : message);
    }

    private static String found(String property, Map<String, String> properties) {
        String value = properties.get(property);
        if (value == null) {
            return "nothing";
        }
        if (!SECRET.matcher(property).matches()) {
            return "'" + value + "'";
        }
        // A reference is no secret, and its length not that of what it stands for
        return REFERENCE.matcher(value).matches()
                ? "another value in " + value
                : value.contains("${") ? "another value" : value.length() + " characters";
    }

    /**
     * The messages along the causes, each once: outer messages name the place, inner ones the
     * reason.
     */
    private static String rootMessage(Throwable cause) {
        StringBuilder message = new StringBuilder();
        for (Throwable at = cause; at != null; at = at.getCause()) {
            String text = at.getMessage();
            if (text != null && message.indexOf(text) < 0) {
                message.append(message.isEmpty() ? "" : ": ").append(text);
            }
        }
        if (message.isEmpty()) {
            return cause.toString();
        }
        String line = oneLine(message.toString());
        // Airlift's message for an HTTP port that is in use.
        return line.startsWith("Failed to bind to")
                ? "http-server.http.port (or http-server.https.port): expected a free port, found: "
                        + line
                : line;
    }

    private static String oneLine(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
