package io.stele.sidecar.settings;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A parsed JSON file of settings, such as access rules or scheduling groups, with checks of its
 * elements. Every mistake is an error that names the file and the place in it, what was expected
 * and what was found. Immutable.
 */
public final class JsonSettings {
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private static final int MAX_BYTES = 1 << 20; // far above the size of a file written by hand

    private final Path file;
    private final Element root;

    private JsonSettings(Path file, byte[] content) {
        this.file = requireNonNull(file, "file is null");
        this.root = new Element(parse(content), "$");
    }

    /** A value in the file, with its path. */
    public record Element(JsonNode node, String path) {}

    /**
     * Reads a file.
     *
     * @param what the content of the file, for messages
     * @throws SteleException INVALID_ARGUMENT if the file cannot be read, or if it is too large
     */
    public static byte[] content(Path file, String what) {
        try {
            long size = Files.size(file);
            if (size > MAX_BYTES) {
                throw wrong(file, "$", "at most " + MAX_BYTES + " bytes", size);
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a readable file of %s, found %s (%s)".formatted(what, file, e),
                    e);
        }
    }

    /**
     * Parses the content of a file.
     *
     * @throws SteleException INVALID_ARGUMENT if the content is not JSON
     */
    public static JsonSettings of(Path file, byte[] content) {
        return new JsonSettings(file, content);
    }

    private JsonNode parse(byte[] content) {
        try {
            return JSON.readTree(content);
        } catch (JsonProcessingException e) {
            throw wrong(
                    "line " + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()),
                    "JSON",
                    e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("Bytes in memory cannot be read", e);
        }
    }

    public Element root() {
        return root;
    }

    /** The elements of an array of the outermost object; empty if the array is absent. */
    public List<Element> elements(String key) {
        JsonNode array = root.node().path(key);
        if (array.isMissingNode()) {
            return List.of();
        }
        if (!array.isArray()) {
            throw wrong("$." + key, "an array", array);
        }
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            elements.add(new Element(array.get(i), "$.%s[%d]".formatted(key, i)));
        }
        return elements;
    }

    /** Throws unless an element is an object with only these keys. */
    public void requireObject(Element element, Set<String> keys) {
        if (!element.node().isObject()) {
            throw wrong(element.path(), "an object", element.node());
        }
        element.node()
                .fieldNames()
                .forEachRemaining(
                        key -> {
                            if (!keys.contains(key)) {
                                throw wrong(
                                        element.path(),
                                        "only the keys " + keys.stream().sorted().toList(),
                                        "'" + key + "'");
                            }
                        });
    }

    /** The regular expression of a key; empty if the key is absent. */
    public Optional<Pattern> pattern(Element element, String key) {
        JsonNode value = element.node().path(key);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw wrong(element.path() + "." + key, "a regular expression", value);
        }
        try {
            return Optional.of(Pattern.compile(value.textValue()));
        } catch (PatternSyntaxException e) {
            throw wrong(
                    element.path() + "." + key,
                    "a regular expression",
                    "'%s': %s".formatted(value.textValue(), e.getDescription()));
        }
    }

    /** Returns the exception for a mistake at a place of the file. */
    public SteleException wrong(String where, String expected, @Nullable Object found) {
        return wrong(file, where, expected, found);
    }

    private static SteleException wrong(
            Path file, String where, String expected, @Nullable Object found) {
        Object shown = found instanceof JsonNode node && node.isMissingNode() ? "nothing" : found;
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s at %s of %s, found %s".formatted(expected, where, file, shown));
    }
}
