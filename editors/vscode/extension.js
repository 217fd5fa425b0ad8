// Starts `cairn lsp` and connects it with the editor. Checks run when a lens above a property is clicked.
'use strict';
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const LANGUAGES = ['milestones', 'fiacre', 'cdl', 'xgdl', 'xta', 'uppaal', 'cairn'];
let client;

function settings() {
  const all = vscode.workspace.getConfiguration('cairn');
  return { check: { seconds: all.get('check.seconds'), mebibytes: all.get('check.mebibytes') } };
}

async function start() {
  const command = vscode.workspace.getConfiguration('cairn').get('path');
  client = new LanguageClient('cairn', 'Cairn', { command, args: ['lsp'] }, {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: settings(),
    synchronize: {
      configurationSection: 'cairn',
      fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{mil,fcr,cdl,xgdl,xta,ta,xml}'),
    },
  });
  await client.start();
}

exports.activate = async (context) => {
  context.subscriptions.push(vscode.commands.registerCommand('cairn.restart', async () => {
    if (client) await client.stop();
    await start();
  }));
  await start();
};

exports.deactivate = () => (client ? client.stop() : undefined);
