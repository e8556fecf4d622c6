package ranksieve.engines;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.solr.client.solrj.SolrRequest;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.client.solrj.request.GenericSolrRequest;
import org.apache.solr.client.solrj.request.RequestWriter;
import org.apache.solr.client.solrj.response.QueryResponse;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.util.Utils;

/**
 * A Solr server: upload features and model, index documents, rerank them, read scores.
 *
 * <p>The text is an object of features (the store as it is uploaded) and model. The output has, for
 * each document, its score and then the logged features after a bar: 1.5|a=0.5,b=2.0.
 */
final class EmbeddedSolr implements Engine.Scorer {
    private final Map<?, ?> uploads;
    private final String[] names;

    EmbeddedSolr(String text, String[] names) {
        this.uploads = (Map<?, ?>) Utils.fromJSONString(text);
        this.names = names;
    }

    @Override
    public String score(double[] values) throws Exception {
        return scores(new double[][] {values})[0];
    }

    @Override
    public String[] scores(double[][] documents) throws Exception {
        Path home = home();
        try (EmbeddedSolrServer server = new EmbeddedSolrServer(home, "documents")) {
            upload(server, "/schema/feature-store", uploads.get("features"));
            upload(server, "/schema/model-store", uploads.get("model"));
            for (int row = 0; row < documents.length; row++) {
                server.add(document(row, documents[row]));
            }
            server.commit();
            return reranked(server, documents.length);
        } finally {
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static Path home() throws IOException {
        Path home = Files.createTempDirectory("solr");
        Path configuration = Files.createDirectories(home.resolve("documents/conf"));
        Files.writeString(home.resolve("solr.xml"), "<solr/>");
        Files.writeString(home.resolve("documents/core.properties"), "name=documents");
        for (String name : List.of("solrconfig.xml", "schema.xml")) {
            try (var resource = EmbeddedSolr.class.getResourceAsStream("/embedded/conf/" + name)) {
                Files.copy(resource, configuration.resolve(name));
            }
        }
        return home;
    }

    private static void upload(EmbeddedSolrServer server, String path, Object content) throws Exception {
        byte[] body = Utils.toJSONString(content).getBytes(StandardCharsets.UTF_8);
        GenericSolrRequest request = new GenericSolrRequest(SolrRequest.METHOD.PUT, path, new ModifiableSolrParams());
        request.setContentWriter(new RequestWriter.StringPayloadContentWriter(
            new String(body, StandardCharsets.UTF_8), "application/json"));
        Object error = request.process(server).getResponse().get("error");
        if (error != null) {
            throw new IllegalArgumentException(path + ": " + error);
        }
    }

    private SolrInputDocument document(int row, double[] values) {
        SolrInputDocument document = new SolrInputDocument();
        document.addField("id", Integer.toString(row));
        for (int feature = 0; feature < names.length; feature++) {
            if (!Double.isNaN(values[feature])) {
                document.addField(names[feature], (float) values[feature]);
            }
        }
        return document;
    }

    private String[] reranked(EmbeddedSolrServer server, int count) throws Exception {
        String model = (String) ((Map<?, ?>) uploads.get("model")).get("name");
        ModifiableSolrParams parameters = new ModifiableSolrParams();
        parameters.set("q", "*:*").set("rows", count).set("fl", "id,score,[features]");
        parameters.set("rq", "{!ltr model=" + model + " reRankDocs=" + count + "}");
        QueryResponse response = server.query(parameters);
        String[] scores = new String[count];
        List<Float> order = new ArrayList<>();
        for (SolrDocument document : response.getResults()) {
            float score = (Float) document.getFieldValue("score");
            order.add(score);
            scores[Integer.parseInt((String) document.getFieldValue("id"))] =
                score + "|" + document.getFieldValue("[features]");
        }
        if (!order.equals(order.stream().sorted(Comparator.reverseOrder()).toList())) {
            throw new IllegalStateException("documents are not in the order of their scores: " + order);
        }
        return scores;
    }
}
